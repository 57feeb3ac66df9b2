// Makes the books of tests/samples/books with Actual Budget's own library, and writes its own answers
// beside them: balances on five days, and spending by category and month.
//
//   npm install @actual-app/api@26.9.0
//   node scripts/actual_books.mjs tests/samples/books
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { createRequire } from 'node:module';

const api = createRequire(path.join(process.cwd(), 'x.js'))('@actual-app/api');
const target = process.argv[2];

async function household() {
  const usual = await api.createCategoryGroup({ name: 'Everyday' });
  const income = (await api.getCategoryGroups()).find(each => each.is_income).id;
  const leisure = await api.createCategoryGroup({ name: 'Freizeit' });
  const food = await api.createCategory({ name: 'Food & Drinks', group_id: usual });
  const flat = await api.createCategory({ name: 'Flat', group_id: usual });
  const cinema = await api.createCategory({ name: 'Kino', group_id: leisure });
  const films = await api.createCategory({ name: 'Films', group_id: leisure });
  const sameName = await api.createCategory({ name: 'Flat', group_id: leisure, hidden: true });
  const saving = await api.createCategory({ name: 'Saving', group_id: usual });
  const salary = await api.createCategory({ name: 'Salary', group_id: income, is_income: true });

  const giro = await api.createAccount({ name: 'Giro', offbudget: false }, 0);
  const savings = await api.createAccount({ name: 'Savings', offbudget: false }, 0);
  const card = await api.createAccount({ name: 'Card', offbudget: false }, 0);
  const depot = await api.createAccount({ name: 'Depot', offbudget: true }, 0);
  const old = await api.createAccount({ name: 'Old account', offbudget: false }, 0);
  const gone = await api.createAccount({ name: 'Mistake', offbudget: false }, 0);

  const shop = await api.createPayee({ name: 'Corner Shop' });
  const merged = await api.createPayee({ name: 'CORNER SHOP 4711' });
  const employer = await api.createPayee({ name: 'Employer Ltd' });
  const landlord = await api.createPayee({ name: 'Müller & Söhne' });
  const payees = await api.getPayees();
  const toward = id => payees.find(each => each.transfer_acct === id).id;
  const add = (account, rows) => api.addTransactions(account, rows, { learnCategories: false, runTransfers: true });

  await add(giro, [
    { date: '2026-01-01', amount: 123456, payee_name: 'Starting Balance', starting_balance_flag: true },
    { date: '2026-01-02', amount: 250000, payee: employer, category: salary, cleared: true },
    { date: '2026-01-03', amount: -80000, payee: landlord, category: flat, notes: 'January #home', cleared: true },
    { date: '2026-01-05', amount: -1999, payee: shop, category: food, notes: 'weekly #food#weekly ##1' },
    { date: '2026-01-06', amount: -2101, payee: merged, category: food },
    { date: '2026-01-10', amount: -50000, payee: toward(savings), notes: 'aside' },
    { date: '2026-02-10', amount: -25000, payee: toward(depot), category: saving },
    { date: '2026-02-12', amount: -1000, payee: toward(depot) },
    { date: '2026-02-14', amount: -6000, payee: shop, notes: 'a receipt', subtransactions: [
      { amount: -3500, category: food, notes: 'bread' }, { amount: -2500, category: cinema }] },
    { date: '2026-02-15', amount: -9000, payee: shop, subtransactions: [
      { amount: -4000, category: food }, { amount: -5000, payee: toward(card) }] },
    { date: '2026-02-20', amount: -777, payee: shop, category: films },
    { date: '2026-03-01', amount: 0, payee: shop, notes: 'nothing' },
    { date: '2026-03-02', amount: -999 },
    { date: '2026-03-03', amount: -4444, payee: shop, category: food, notes: 'will be deleted' },
    { date: '2026-03-31', amount: 250000, payee: employer, category: salary },
  ]);
  await add(savings, [
    { date: '2026-01-05', amount: 1200, payee_name: 'Interest', category: salary },
    { date: '2026-01-20', amount: 100000, payee_name: 'Starting Balance', starting_balance_flag: true },
  ]);
  await add(card, [{ date: '2026-02-27', amount: -12050, payee: shop, category: food }]);
  await add(depot, [{ date: '2026-01-15', amount: 500000, payee_name: 'Starting Balance', starting_balance_flag: true }]);
  await add(old, [{ date: '2026-01-04', amount: 5000, payee_name: 'Refund', category: food }]);
  await add(gone, [{ date: '2026-01-04', amount: 70000, payee_name: 'Nothing', category: food }]);
  await api.closeAccount(old, giro);
  await api.deleteAccount(gone);

  const all = await api.getTransactions(giro, '2026-01-01', '2026-12-31');
  await api.deleteTransaction(all.find(each => each.notes === 'will be deleted').id);
  // Both halves of a transfer, on different days.
  const half = (await api.getTransactions(savings, '2026-01-10', '2026-01-10'))[0];
  await api.updateTransaction(half.id, { date: '2026-01-12', reconciled: true, cleared: true });
  // A split whose parts do not add up.
  await add(giro, [{ date: '2026-03-05', amount: -1000, payee: shop, subtransactions: [
    { amount: -300, category: food }, { amount: -200, category: cinema }] }]);
  await api.mergePayees(shop, [merged]);
  await api.deleteCategory(films, cinema);

  for (const [month, amount] of [['2026-01', 30000], ['2026-02', 30000], ['2026-03', 35000]]) {
    await api.setBudgetAmount(month, food, amount);
    await api.setBudgetAmount(month, flat, 80000);
  }
  await api.setBudgetAmount('2026-02', cinema, 5000);
  await api.setBudgetCarryover('2026-02', cinema, true);
  await api.holdBudgetForNextMonth('2026-01', 1000);
  await api.updateNote(food, '#template 300');
  await api.updateNote(`account-${giro}`, 'The account at the bank');

  // Actual would pay what is due by now.
  const every = (frequency, more) => ({ frequency, start: '2036-01-15', interval: 1, endMode: 'never', ...more });
  const schedule = (name, more) => api.createSchedule({ name, account: giro, posts_transaction: true, amountOp: 'is', ...more });
  await schedule('Rent', { payee: landlord, amount: -80000,
    date: every('monthly', { start: '2036-01-03', patterns: [{ type: 'day', value: 3 }] }) });
  await schedule('Gas', { payee: shop, amount: -4500, amountOp: 'isapprox', posts_transaction: false,
    date: every('monthly', { interval: 2, skipWeekend: true, weekendSolveMode: 'before' }) });
  await schedule('Market', { payee: shop, amount: { num1: -2000, num2: -4000 }, amountOp: 'isbetween',
    date: every('weekly', { endMode: 'after_n_occurrences', endOccurrences: 10 }) });
  await schedule('Aside', { payee: toward(savings), amount: -50000,
    date: every('monthly', { start: '2036-01-30', patterns: [{ type: 'day', value: -1 }], endMode: 'on_date', endDate: '2037-01-31' }) });
  await schedule('Club', { payee: shop, amount: -1000,
    date: every('monthly', { patterns: [{ type: 'day', value: 5 }, { type: 'FR', value: 1 }] }) });
  await schedule('Stammtisch', { payee: shop, amount: -1500,
    date: every('monthly', { patterns: [{ type: 'FR', value: 1 }, { type: 'FR', value: 3 }] }) });
  await schedule('Insurance', { payee: shop, amount: -12000, date: every('yearly', { start: '2036-02-28' }) });
  await schedule('Once', { payee: shop, amount: -100, date: '2036-04-01' });

  const rule = (conditions, actions, conditionsOp = 'and') => api.createRule({ stage: null, conditionsOp, conditions, actions });
  const give = category => [{ op: 'set', field: 'category', value: category, type: 'id' }];
  await rule([{ field: 'payee', op: 'is', value: shop, type: 'id' }], give(food));
  await rule([{ field: 'notes', op: 'contains', value: 'cinema', type: 'string' },
    { field: 'imported_payee', op: 'contains', value: 'kino', type: 'string' }], give(cinema), 'or');
  await rule([{ field: 'notes', op: 'contains', value: 'parking', type: 'string' },
    { field: 'amount', op: 'lt', value: 0, type: 'number' }], give(flat));
  return { sameName };
}

async function imported() {
  const usual = await api.createCategoryGroup({ name: 'Everyday' });
  const income = (await api.getCategoryGroups()).find(each => each.is_income).id;
  const categories = [];
  for (const name of ['Groceries', 'Travel', 'Health']) {
    categories.push(await api.createCategory({ name, group_id: usual }));
  }
  const pay = await api.createCategory({ name: 'Pay', group_id: income, is_income: true });
  const accounts = [
    await api.createAccount({ name: 'Checking', offbudget: false }, 0),
    await api.createAccount({ name: 'Checking', offbudget: false }, 0),
    await api.createAccount({ name: 'House', offbudget: true }, 0),
  ];
  let seed = 7;
  const random = below => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 65536) % below; };
  for (const [number, account] of accounts.entries()) {
    const rows = [];
    for (let count = 0; count < 60; count++) {
      const day = new Date(Date.UTC(2025, 9, 1 + random(150))).toISOString().slice(0, 10);
      const amount = random(5) ? -(1 + random(20000)) : random(300000);
      const category = amount < 0 ? categories[random(4)] : pay;
      rows.push({ date: day, amount, payee_name: `Payee ${random(12)}`, imported_payee: `PAYEE*${count}`,
        imported_id: `${number}-${count}`, category, cleared: random(2) === 1, notes: random(3) ? '' : `note ${count} #tag${random(3)}` });
    }
    await api.importTransactions(account, rows);
  }
  const payees = await api.getPayees();
  for (let count = 0; count < 12; count++) {
    const [from, to] = [random(3), random(3)];
    const other = payees.find(each => each.transfer_acct === accounts[to]).id;
    if (from !== to) {
      await api.addTransactions(accounts[from], [{ date: `2026-01-${String(count + 10)}`, amount: -(random(9000) + 1), payee: other,
        category: (from === 2) !== (to === 2) && from !== 2 && count % 2 ? categories[0] : null }], { runTransfers: true });
    }
  }
  for (let month = 10; month <= 12; month++) await api.setBudgetAmount(`2025-${month}`, categories[0], 40000);
}

async function answers(days, months) {
  const balances = {};
  for (const account of await api.getAccounts()) {
    balances[account.id] = { name: account.name, on: {} };
    for (const day of days) {
      balances[account.id].on[day] = await api.getAccountBalance(account.id, new Date(`${day}T12:00:00`));
    }
  }
  const spent = {};
  for (const month of months) {
    spent[month] = {};
    for (const group of (await api.getBudgetMonth(month)).categoryGroups) {
      for (const category of group.categories) {
        const sum = group.is_income ? category.received : category.spent;
        if (sum) spent[month][category.id] = sum;
      }
    }
  }
  const budgets = {};
  for (const month of months) {
    budgets[month] = Object.fromEntries((await api.getBudgetMonth(month)).categoryGroups.flatMap(group => group.categories)
      .filter(each => each.budgeted).map(each => [each.id, each.budgeted]));
  }
  return { balances, spent, budgets };
}

const BOOKS = {
  household: [household, 'EUR', ['2025-12-31', '2026-01-11', '2026-02-15', '2026-03-31', '2026-12-31'], ['2026-01', '2026-02', '2026-03']],
  imported: [imported, null, ['2025-10-01', '2025-11-15', '2025-12-31', '2026-01-15', '2026-12-31'], ['2025-10', '2025-11', '2025-12', '2026-01', '2026-02']],
};

for (const [name, [fill, currency, days, months]] of Object.entries(BOOKS)) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'actual-'));
  await api.init({ dataDir: folder });
  await api.runImport(name, fill);
  if (currency) await api.internal.send('preferences/save', { id: 'defaultCurrencyCode', value: currency });
  fs.writeFileSync(path.join(target, `actual-${name}.json`), JSON.stringify(await answers(days, months), null, 1) + '\n');
  fs.writeFileSync(path.join(target, `actual-${name}.zip`), Buffer.from(await api.exportBudget()));
  await api.shutdown();
}
