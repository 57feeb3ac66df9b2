BEGIN TRANSACTION;
CREATE TABLE accounts (
	user_id BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	name_folded TEXT NOT NULL, 
	account_type TEXT NOT NULL, 
	currency_code TEXT NOT NULL, 
	initial_balance BIGINT NOT NULL, 
	balance BIGINT NOT NULL, 
	record_count BIGINT NOT NULL, 
	last_record_date BIGINT, 
	bank_balance BIGINT, 
	bank_balance_date BIGINT, 
	unexplained BIGINT NOT NULL, 
	bank_account_number TEXT, 
	bank_account_number_folded TEXT, 
	color TEXT, 
	color_folded TEXT, 
	archived BOOLEAN NOT NULL, 
	exclude_from_stats BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	source TEXT, 
	source_id TEXT, 
	statement_keys TEXT NOT NULL, 
	set_by_hand TEXT, 
	own_initial_balance BIGINT, 
	json TEXT NOT NULL, 
	revision BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_accounts PRIMARY KEY (user_id, id), 
	CONSTRAINT uq_accounts_user_id_source_source_id UNIQUE (user_id, source, source_id), 
	CONSTRAINT fk_accounts_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
);
INSERT INTO "accounts" VALUES(1,'00000001-0000-4000-8000-000000000001','Giro','giro','CurrentAccount','EUR',1005000,580000,2,1772409600,NULL,NULL,0,'DE02120300000000202051','de02120300000000202051','#00AAff','#00aaff',0,0,1767261600,1769990399,NULL,NULL,'','',NULL,'{"id":"00000001-0000-4000-8000-000000000001","name":"Giro","accountType":"CurrentAccount","currencyCode":"EUR","initialBalance":100.5,"balance":58,"recordCount":2,"lastRecordDate":"2026-03-02","bankBalance":null,"bankBalanceDate":null,"unexplained":0,"bankAccountNumber":"DE02120300000000202051","color":"#00AAff","archived":false,"excludeFromStats":false,"createdAt":"2026-01-01T10:00:00Z","updatedAt":"2026-02-01T23:59:59Z"}',1);
INSERT INTO "accounts" VALUES(1,'00000001-0000-4000-8000-000000000002','Épargne','épargne','General','CHF',0,-1,1,1772409600,NULL,NULL,0,NULL,NULL,NULL,NULL,1,0,1767348000,1770076799,NULL,NULL,'','',NULL,'{"id":"00000001-0000-4000-8000-000000000002","name":"Épargne","accountType":"General","currencyCode":"CHF","initialBalance":0,"balance":-0.0001,"recordCount":1,"lastRecordDate":"2026-03-02","bankBalance":null,"bankBalanceDate":null,"unexplained":0,"bankAccountNumber":null,"color":null,"archived":true,"excludeFromStats":false,"createdAt":"2026-01-02T10:00:00Z","updatedAt":"2026-02-02T23:59:59Z"}',1);
INSERT INTO "accounts" VALUES(1,'00000001-0000-4000-8000-000000000003','giro','giro','Cash','EUR',0,0,1,1767139200,NULL,NULL,0,NULL,NULL,NULL,NULL,0,1,1767434400,1770163199,NULL,NULL,'','',NULL,'{"id":"00000001-0000-4000-8000-000000000003","name":"giro","accountType":"Cash","currencyCode":"EUR","initialBalance":0,"balance":0,"recordCount":1,"lastRecordDate":"2025-12-31","bankBalance":null,"bankBalanceDate":null,"unexplained":0,"bankAccountNumber":null,"color":null,"archived":false,"excludeFromStats":true,"createdAt":"2026-01-03T10:00:00Z","updatedAt":"2026-02-03T23:59:59Z"}',1);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0012_initial');
CREATE TABLE audit (
	id INTEGER NOT NULL, 
	at BIGINT NOT NULL, 
	action TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	user_id BIGINT, 
	detail TEXT NOT NULL, 
	CONSTRAINT pk_audit PRIMARY KEY (id), 
	CONSTRAINT fk_audit_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
INSERT INTO "audit" VALUES(1,1773835200,'token-created','command',1,'test');
INSERT INTO "audit" VALUES(2,1773835200,'import','command',1,'1');
CREATE TABLE before_images (
	user_id BIGINT NOT NULL, 
	number BIGINT NOT NULL, 
	resource TEXT NOT NULL, 
	row_id TEXT NOT NULL, 
	"row" TEXT, 
	CONSTRAINT pk_before_images PRIMARY KEY (user_id, number, resource, row_id), 
	CONSTRAINT fk_before_images_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "before_images" VALUES(1,1,'accounts','00000001-0000-4000-8000-000000000001',NULL);
INSERT INTO "before_images" VALUES(1,1,'accounts','00000001-0000-4000-8000-000000000002',NULL);
INSERT INTO "before_images" VALUES(1,1,'accounts','00000001-0000-4000-8000-000000000003',NULL);
INSERT INTO "before_images" VALUES(1,1,'budgets','00000005-0000-4000-8000-000000000001',NULL);
INSERT INTO "before_images" VALUES(1,1,'budgets','00000005-0000-4000-8000-000000000002',NULL);
INSERT INTO "before_images" VALUES(1,1,'budgets','00000005-0000-4000-8000-000000000003',NULL);
INSERT INTO "before_images" VALUES(1,1,'budgets','00000005-0000-4000-8000-000000000004',NULL);
INSERT INTO "before_images" VALUES(1,1,'categories','00000002-0000-4000-8000-000000000001',NULL);
INSERT INTO "before_images" VALUES(1,1,'categories','00000002-0000-4000-8000-000000000002',NULL);
INSERT INTO "before_images" VALUES(1,1,'categories','00000002-0000-4000-8000-000000000003',NULL);
INSERT INTO "before_images" VALUES(1,1,'goals','00000006-0000-4000-8000-000000000001',NULL);
INSERT INTO "before_images" VALUES(1,1,'goals','00000006-0000-4000-8000-000000000002',NULL);
INSERT INTO "before_images" VALUES(1,1,'goals','00000006-0000-4000-8000-000000000003',NULL);
INSERT INTO "before_images" VALUES(1,1,'labels','00000003-0000-4000-8000-000000000001',NULL);
INSERT INTO "before_images" VALUES(1,1,'labels','00000003-0000-4000-8000-000000000002',NULL);
INSERT INTO "before_images" VALUES(1,1,'labels','00000003-0000-4000-8000-000000000003',NULL);
INSERT INTO "before_images" VALUES(1,1,'recordRules','00000008-0000-4000-8000-000000000001',NULL);
INSERT INTO "before_images" VALUES(1,1,'recordRules','00000008-0000-4000-8000-000000000002',NULL);
INSERT INTO "before_images" VALUES(1,1,'recordRules','00000008-0000-4000-8000-000000000003',NULL);
INSERT INTO "before_images" VALUES(1,1,'standingOrders','00000007-0000-4000-8000-000000000001',NULL);
INSERT INTO "before_images" VALUES(1,1,'standingOrders','00000007-0000-4000-8000-000000000002',NULL);
INSERT INTO "before_images" VALUES(1,1,'standingOrders','00000007-0000-4000-8000-000000000003',NULL);
CREATE TABLE budgets (
	user_id BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT, 
	name_folded TEXT, 
	type TEXT NOT NULL, 
	currency_code TEXT, 
	limit_amount BIGINT, 
	category_ids TEXT NOT NULL, 
	account_ids TEXT NOT NULL, 
	label_ids TEXT NOT NULL, 
	start_date BIGINT, 
	end_date BIGINT, 
	closed BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	source TEXT, 
	source_id TEXT, 
	CONSTRAINT pk_budgets PRIMARY KEY (user_id, id), 
	CONSTRAINT uq_budgets_user_id_source_source_id UNIQUE (user_id, source, source_id), 
	CONSTRAINT fk_budgets_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
);
INSERT INTO "budgets" VALUES(1,'00000005-0000-4000-8000-000000000001','Eating','eating','BUDGET_INTERVAL_WEEK','EUR',1000000,',00000002-0000-4000-8000-000000000001,00000002-0000-4000-8000-000000000002,',',00000001-0000-4000-8000-000000000001,',',00000003-0000-4000-8000-000000000001,',1767225600,1798675200,0,1767261600,1769990399,NULL,NULL);
INSERT INTO "budgets" VALUES(1,'00000005-0000-4000-8000-000000000002','Year','year','BUDGET_INTERVAL_YEAR','EUR',1000000,'','','',NULL,NULL,1,1767348000,1770076799,NULL,NULL);
INSERT INTO "budgets" VALUES(1,'00000005-0000-4000-8000-000000000003',NULL,NULL,'BUDGET_INTERVAL_MONTH',NULL,NULL,'','','',NULL,NULL,0,1767434400,1770163199,NULL,NULL);
INSERT INTO "budgets" VALUES(1,'00000005-0000-4000-8000-000000000004','Budget','budget','BUDGET_CUSTOM','EUR',500000,'','','',NULL,1772236800,0,1767520800,1770249599,NULL,NULL);
CREATE TABLE categories (
	user_id BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	name_folded TEXT NOT NULL, 
	parent_id TEXT, 
	"group" TEXT, 
	group_folded TEXT, 
	kind TEXT, 
	color TEXT, 
	color_folded TEXT, 
	archived BOOLEAN NOT NULL, 
	custom_category BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	source TEXT, 
	source_id TEXT, 
	kind_is_derived BOOLEAN NOT NULL, 
	json TEXT NOT NULL, 
	revision BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_categories PRIMARY KEY (user_id, id), 
	CONSTRAINT uq_categories_user_id_source_source_id UNIQUE (user_id, source, source_id), 
	CONSTRAINT fk_categories_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
);
INSERT INTO "categories" VALUES(1,'00000002-0000-4000-8000-000000000001','Food','food',NULL,'Living','living','expense','#0f0','#0f0',0,0,1767261600,1769990399,NULL,NULL,1,'{"id":"00000002-0000-4000-8000-000000000001","name":"Food","parentId":null,"group":"Living","kind":"expense","color":"#0f0","archived":false,"customCategory":false,"createdAt":"2026-01-01T10:00:00Z","updatedAt":"2026-02-01T23:59:59Z"}',1);
INSERT INTO "categories" VALUES(1,'00000002-0000-4000-8000-000000000002','Straße','strasse','00000002-0000-4000-8000-000000000001',NULL,NULL,'expense',NULL,NULL,1,0,1767348000,1770076799,NULL,NULL,1,'{"id":"00000002-0000-4000-8000-000000000002","name":"Straße","parentId":"00000002-0000-4000-8000-000000000001","group":null,"kind":"expense","color":null,"archived":true,"customCategory":false,"createdAt":"2026-01-02T10:00:00Z","updatedAt":"2026-02-02T23:59:59Z"}',1);
INSERT INTO "categories" VALUES(1,'00000002-0000-4000-8000-000000000003','food','food',NULL,NULL,NULL,NULL,NULL,NULL,0,1,1767434400,1770163199,NULL,NULL,1,'{"id":"00000002-0000-4000-8000-000000000003","name":"food","parentId":null,"group":null,"kind":null,"color":null,"archived":false,"customCategory":true,"createdAt":"2026-01-03T10:00:00Z","updatedAt":"2026-02-03T23:59:59Z"}',1);
CREATE TABLE contacts (
	user_id BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	name_folded TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	source TEXT, 
	source_id TEXT, 
	extra TEXT, 
	CONSTRAINT pk_contacts PRIMARY KEY (user_id, id), 
	CONSTRAINT uq_contacts_user_id_source_source_id UNIQUE (user_id, source, source_id), 
	CONSTRAINT fk_contacts_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
);
CREATE TABLE data_states (
	user_id BIGINT NOT NULL, 
	revision BIGINT NOT NULL, 
	changed_at BIGINT NOT NULL, 
	tag BIGINT NOT NULL, 
	CONSTRAINT pk_data_states PRIMARY KEY (user_id, revision), 
	CONSTRAINT fk_data_states_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "data_states" VALUES(1,1,1773835200,3332979194574636653);
CREATE TABLE exchange_rates (
	day BIGINT NOT NULL, 
	base TEXT NOT NULL, 
	rates TEXT NOT NULL, 
	CONSTRAINT pk_exchange_rates PRIMARY KEY (day, base)
)
 WITHOUT ROWID

;
CREATE TABLE exchange_rates_state (
	revision BIGINT NOT NULL, 
	changed_at BIGINT NOT NULL, 
	currencies TEXT NOT NULL, 
	tag BIGINT NOT NULL, 
	CONSTRAINT pk_exchange_rates_state PRIMARY KEY (revision)
);
CREATE TABLE goals (
	user_id BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT, 
	name_folded TEXT, 
	note TEXT, 
	note_folded TEXT, 
	color TEXT, 
	color_folded TEXT, 
	target_amount BIGINT, 
	saved_amount BIGINT NOT NULL, 
	currency_code TEXT, 
	account_id TEXT, 
	label_id TEXT, 
	desired_date BIGINT, 
	state TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	source TEXT, 
	source_id TEXT, 
	CONSTRAINT pk_goals PRIMARY KEY (user_id, id), 
	CONSTRAINT uq_goals_user_id_source_source_id UNIQUE (user_id, source, source_id), 
	CONSTRAINT fk_goals_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
);
INSERT INTO "goals" VALUES(1,'00000006-0000-4000-8000-000000000001','Bicycle','bicycle','summer','summer','#abc','#abc',12000000,3000000,'EUR',NULL,NULL,1780272000,'active',1767261600,1769990399,NULL,NULL);
INSERT INTO "goals" VALUES(1,'00000006-0000-4000-8000-000000000002','bicycle','bicycle',NULL,NULL,NULL,NULL,100000,99900,NULL,NULL,NULL,NULL,'paused',1767348000,1770076799,NULL,NULL);
INSERT INTO "goals" VALUES(1,'00000006-0000-4000-8000-000000000003',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,'reached',1767434400,1770163199,NULL,NULL);
CREATE TABLE hash_tags (
	user_id BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	name_folded TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	source TEXT, 
	source_id TEXT, 
	extra TEXT, 
	CONSTRAINT pk_hash_tags PRIMARY KEY (user_id, id), 
	CONSTRAINT uq_hash_tags_user_id_source_source_id UNIQUE (user_id, source, source_id), 
	CONSTRAINT fk_hash_tags_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
);
CREATE TABLE history (
	user_id BIGINT NOT NULL, 
	number BIGINT NOT NULL, 
	at BIGINT NOT NULL, 
	action TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	revision BIGINT NOT NULL, 
	undone_at BIGINT, 
	pruned BOOLEAN NOT NULL, 
	details TEXT NOT NULL, 
	CONSTRAINT pk_history PRIMARY KEY (user_id, number), 
	CONSTRAINT fk_history_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
);
INSERT INTO "history" VALUES(1,1,1773835200,'import','command',1,NULL,0,'{"format":"native","file":{"name":null,"size":0,"sha256":"9919d20cf15a38a453ab9f480e9cbb2a066b49dc41b0a36938d17646ddf0f0c9"},"options":{},"counts":{"created":26,"updated":0,"unchanged":0,"matched":0,"skipped":0},"accounts":[]}');
CREATE TABLE jwts (
	jti TEXT NOT NULL, 
	user_id BIGINT, 
	issued_at BIGINT, 
	expires_at BIGINT NOT NULL, 
	revoked_at BIGINT, 
	CONSTRAINT pk_jwts PRIMARY KEY (jti), 
	CONSTRAINT fk_jwts_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE labels (
	user_id BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	name_folded TEXT NOT NULL, 
	color TEXT, 
	color_folded TEXT, 
	archived BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	source TEXT, 
	source_id TEXT, 
	json TEXT NOT NULL, 
	revision BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_labels PRIMARY KEY (user_id, id), 
	CONSTRAINT uq_labels_user_id_source_source_id UNIQUE (user_id, source, source_id), 
	CONSTRAINT fk_labels_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
);
INSERT INTO "labels" VALUES(1,'00000003-0000-4000-8000-000000000001','home','home','#f00','#f00',0,1767261600,1769990399,NULL,NULL,'{"id":"00000003-0000-4000-8000-000000000001","name":"home","color":"#f00","archived":false,"createdAt":"2026-01-01T10:00:00Z","updatedAt":"2026-02-01T23:59:59Z"}',1);
INSERT INTO "labels" VALUES(1,'00000003-0000-4000-8000-000000000002','Home','home',NULL,NULL,1,1767348000,1770076799,NULL,NULL,'{"id":"00000003-0000-4000-8000-000000000002","name":"Home","color":null,"archived":true,"createdAt":"2026-01-02T10:00:00Z","updatedAt":"2026-02-02T23:59:59Z"}',1);
INSERT INTO "labels" VALUES(1,'00000003-0000-4000-8000-000000000003','a, b','a, b',NULL,NULL,0,1767434400,1770163199,NULL,NULL,'{"id":"00000003-0000-4000-8000-000000000003","name":"a, b","color":null,"archived":false,"createdAt":"2026-01-03T10:00:00Z","updatedAt":"2026-02-03T23:59:59Z"}',1);
CREATE TABLE magic_rules (
	user_id BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	name_folded TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	source TEXT, 
	source_id TEXT, 
	extra TEXT, 
	CONSTRAINT pk_magic_rules PRIMARY KEY (user_id, id), 
	CONSTRAINT uq_magic_rules_user_id_source_source_id UNIQUE (user_id, source, source_id), 
	CONSTRAINT fk_magic_rules_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
);
CREATE TABLE projection_version (
	version BIGINT NOT NULL, 
	CONSTRAINT pk_projection_version PRIMARY KEY (version)
);
INSERT INTO "projection_version" VALUES(10);
CREATE TABLE question_links (
	id TEXT NOT NULL, 
	user_id BIGINT NOT NULL, 
	question_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT, 
	last_used_at BIGINT, 
	revoked_at BIGINT, 
	CONSTRAINT pk_question_links PRIMARY KEY (id), 
	CONSTRAINT fk_question_links_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT uq_question_links_sha256 UNIQUE (sha256)
);
CREATE TABLE questions (
	id TEXT NOT NULL, 
	user_id BIGINT NOT NULL, 
	name TEXT NOT NULL, 
	address TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_questions PRIMARY KEY (id), 
	CONSTRAINT uq_questions_user_id_name UNIQUE (user_id, name), 
	CONSTRAINT fk_questions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE record_anchors (
	user_id BIGINT NOT NULL, 
	position BIGINT NOT NULL, 
	newest_first BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	CONSTRAINT pk_record_anchors PRIMARY KEY (user_id, position), 
	CONSTRAINT fk_record_anchors_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "record_anchors" VALUES(1,0,-1767139200,'00000004-0000-4000-8000-000000000004');
CREATE TABLE record_rules (
	user_id BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT, 
	name_folded TEXT, 
	keywords TEXT NOT NULL, 
	keywords_folded TEXT NOT NULL, 
	category_id TEXT, 
	label_ids TEXT NOT NULL, 
	account_id TEXT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	source TEXT, 
	source_id TEXT, 
	json TEXT NOT NULL, 
	revision BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_record_rules PRIMARY KEY (user_id, id), 
	CONSTRAINT uq_record_rules_user_id_source_source_id UNIQUE (user_id, source, source_id), 
	CONSTRAINT fk_record_rules_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
);
INSERT INTO "record_rules" VALUES(1,'00000008-0000-4000-8000-000000000001','Shops','shops','aldiSüß 50%','aldisüss 50%','00000002-0000-4000-8000-000000000001',',00000003-0000-4000-8000-000000000001,00000003-0000-4000-8000-000000000002,','00000001-0000-4000-8000-000000000001',1767261600,1769990399,NULL,NULL,'{"id":"00000008-0000-4000-8000-000000000001","name":"Shops","keywords":["aldi","Süß 50%"],"categoryId":"00000002-0000-4000-8000-000000000001","labelIds":["00000003-0000-4000-8000-000000000001","00000003-0000-4000-8000-000000000002"],"accountId":"00000001-0000-4000-8000-000000000001","createdAt":"2026-01-01T10:00:00Z","updatedAt":"2026-02-01T23:59:59Z"}',1);
INSERT INTO "record_rules" VALUES(1,'00000008-0000-4000-8000-000000000002',NULL,NULL,'lidl','lidl',NULL,'',NULL,1767348000,1770076799,NULL,NULL,'{"id":"00000008-0000-4000-8000-000000000002","name":null,"keywords":["lidl"],"categoryId":null,"labelIds":[],"accountId":null,"createdAt":"2026-01-02T10:00:00Z","updatedAt":"2026-02-02T23:59:59Z"}',1);
INSERT INTO "record_rules" VALUES(1,'00000008-0000-4000-8000-000000000003','shops','shops','','',NULL,'',NULL,1767434400,1770163199,NULL,NULL,'{"id":"00000008-0000-4000-8000-000000000003","name":"shops","keywords":[],"categoryId":null,"labelIds":[],"accountId":null,"createdAt":"2026-01-03T10:00:00Z","updatedAt":"2026-02-03T23:59:59Z"}',1);
CREATE TABLE record_sums (
	user_id BIGINT NOT NULL, 
	grain BIGINT NOT NULL, 
	payee_key TEXT NOT NULL, 
	month BIGINT NOT NULL, 
	number BIGINT NOT NULL, 
	account_id TEXT, 
	category_id TEXT, 
	payee TEXT, 
	currency_code TEXT NOT NULL, 
	record_type TEXT NOT NULL, 
	is_void BOOLEAN NOT NULL, 
	is_transfer BOOLEAN NOT NULL, 
	amount_high BIGINT NOT NULL, 
	amount_low BIGINT NOT NULL, 
	number_of_records BIGINT NOT NULL, 
	first BIGINT NOT NULL, 
	last BIGINT NOT NULL, 
	CONSTRAINT pk_record_sums PRIMARY KEY (user_id, grain, payee_key, month, number), 
	CONSTRAINT fk_record_sums_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "record_sums" VALUES(1,0,'',1764547200,1,'00000001-0000-4000-8000-000000000003',NULL,NULL,'EUR','income',0,0,0,0,1,1767139200,1767139200);
INSERT INTO "record_sums" VALUES(1,0,'',1772323200,1,'00000001-0000-4000-8000-000000000001',NULL,NULL,'EUR','income',1,0,0,12000000,1,1772409600,1772409600);
INSERT INTO "record_sums" VALUES(1,0,'Corner Shop',1772323200,2,'00000001-0000-4000-8000-000000000001','00000002-0000-4000-8000-000000000001','Corner Shop','EUR','expense',0,0,-1,4294542296,1,1772323200,1772323200);
INSERT INTO "record_sums" VALUES(1,0,'ÉCOLE',1772323200,3,'00000001-0000-4000-8000-000000000002','00000002-0000-4000-8000-000000000002','ÉCOLE','CHF','expense',0,1,-1,4294967295,1,1772409600,1772409600);
INSERT INTO "record_sums" VALUES(1,1,'',1764547200,1,NULL,NULL,NULL,'EUR','income',0,0,0,0,1,1767139200,1767139200);
INSERT INTO "record_sums" VALUES(1,1,'',1772323200,1,NULL,NULL,NULL,'EUR','income',1,0,0,12000000,1,1772409600,1772409600);
INSERT INTO "record_sums" VALUES(1,1,'',1772323200,2,NULL,'00000002-0000-4000-8000-000000000001',NULL,'EUR','expense',0,0,-1,4294542296,1,1772323200,1772323200);
INSERT INTO "record_sums" VALUES(1,1,'',1772323200,3,NULL,'00000002-0000-4000-8000-000000000002',NULL,'CHF','expense',0,1,-1,4294967295,1,1772409600,1772409600);
INSERT INTO "record_sums" VALUES(1,2,'',1764547200,1,'00000001-0000-4000-8000-000000000003',NULL,NULL,'EUR','income',0,0,0,0,1,1767139200,1767139200);
INSERT INTO "record_sums" VALUES(1,2,'',1772323200,1,'00000001-0000-4000-8000-000000000001',NULL,NULL,'EUR','expense',0,0,-1,4294542296,1,1772323200,1772323200);
INSERT INTO "record_sums" VALUES(1,2,'',1772323200,2,'00000001-0000-4000-8000-000000000001',NULL,NULL,'EUR','income',1,0,0,12000000,1,1772409600,1772409600);
INSERT INTO "record_sums" VALUES(1,2,'',1772323200,3,'00000001-0000-4000-8000-000000000002',NULL,NULL,'CHF','expense',0,1,-1,4294967295,1,1772409600,1772409600);
INSERT INTO "record_sums" VALUES(1,3,'',1764547200,1,NULL,NULL,NULL,'EUR','income',0,0,0,0,1,1767139200,1767139200);
INSERT INTO "record_sums" VALUES(1,3,'',1772323200,1,NULL,NULL,NULL,'CHF','expense',0,1,-1,4294967295,1,1772409600,1772409600);
INSERT INTO "record_sums" VALUES(1,3,'',1772323200,2,NULL,NULL,NULL,'EUR','expense',0,0,-1,4294542296,1,1772323200,1772323200);
INSERT INTO "record_sums" VALUES(1,3,'',1772323200,3,NULL,NULL,NULL,'EUR','income',1,0,0,12000000,1,1772409600,1772409600);
CREATE TABLE records (
	user_id BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	account_name TEXT NOT NULL, 
	account_name_folded TEXT NOT NULL, 
	amount BIGINT NOT NULL, 
	currency_code TEXT NOT NULL, 
	record_date BIGINT NOT NULL, 
	category TEXT, 
	category_folded TEXT, 
	category_id TEXT, 
	payee TEXT, 
	payee_folded TEXT, 
	note TEXT, 
	note_folded TEXT, 
	labels TEXT NOT NULL, 
	labels_folded TEXT NOT NULL, 
	label_ids TEXT NOT NULL, 
	record_type TEXT NOT NULL, 
	payment_type TEXT, 
	record_state TEXT, 
	transfer_id TEXT, 
	split_id TEXT, 
	value_date BIGINT, 
	counterparty_account TEXT, 
	counterparty_account_folded TEXT, 
	reference TEXT, 
	reference_folded TEXT, 
	original_amount BIGINT, 
	original_currency_code TEXT, 
	import_id BIGINT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	source TEXT, 
	source_id TEXT, 
	further_sources TEXT, 
	stated TEXT, 
	set_by_hand TEXT, 
	category_by_rule BOOLEAN, 
	payee_plain TEXT, 
	note_plain TEXT, 
	names_plain TEXT, 
	revision BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_records PRIMARY KEY (user_id, id), 
	CONSTRAINT uq_records_user_id_source_source_id UNIQUE (user_id, source, source_id), 
	CONSTRAINT fk_records_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
);
INSERT INTO "records" VALUES(1,'00000004-0000-4000-8000-000000000001','00000001-0000-4000-8000-000000000001','Giro','giro',-425000,'EUR',1772323200,'Food','food','00000002-0000-4000-8000-000000000001','Corner Shop','corner shop','100% \ off_','100% \ off_','homeHome','homehome',',00000003-0000-4000-8000-000000000001,00000003-0000-4000-8000-000000000002,','expense','debit_card','cleared',NULL,NULL,1772496000,'DE75512108001245126199','de75512108001245126199','RF18539007','rf18539007',-499000,'USD',1,1767261600,1769990399,NULL,NULL,'',NULL,'',NULL,'corner shop','100% \ off_','foodhomehomegiro',1);
INSERT INTO "records" VALUES(1,'00000004-0000-4000-8000-000000000002','00000001-0000-4000-8000-000000000001','Giro','giro',12000000,'EUR',1772409600,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'','','','income',NULL,'void',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,1767348000,1770076799,NULL,NULL,'',NULL,'',NULL,NULL,NULL,'giro',1);
INSERT INTO "records" VALUES(1,'00000004-0000-4000-8000-000000000003','00000001-0000-4000-8000-000000000002','Épargne','épargne',-1,'CHF',1772409600,'Straße','strasse','00000002-0000-4000-8000-000000000002','ÉCOLE','école',NULL,NULL,'','','','expense',NULL,NULL,'00000004-0000-4000-8000-000000000063',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,1767434400,1770163199,NULL,NULL,'',NULL,'',NULL,'ecole',NULL,'strasseepargne',1);
INSERT INTO "records" VALUES(1,'00000004-0000-4000-8000-000000000004','00000001-0000-4000-8000-000000000003','giro','giro',0,'EUR',1767139200,NULL,NULL,NULL,NULL,NULL,'corner','corner','a, b','a, b',',00000003-0000-4000-8000-000000000003,','income','cash','reconciled',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,1767520800,1770249599,NULL,NULL,'',NULL,'',NULL,NULL,'corner','a, bgiro',1);
CREATE TABLE records_by_date (
	user_id BIGINT NOT NULL, 
	newest_first BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	json TEXT NOT NULL, 
	CONSTRAINT pk_records_by_date PRIMARY KEY (user_id, newest_first, id), 
	CONSTRAINT fk_records_by_date_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "records_by_date" VALUES(1,-1772409600,'00000004-0000-4000-8000-000000000002','{"id":"00000004-0000-4000-8000-000000000002","accountId":"00000001-0000-4000-8000-000000000001","accountName":"Giro","amount":1200,"currencyCode":"EUR","recordDate":"2026-03-02","category":null,"categoryId":null,"payee":null,"note":null,"labels":[],"labelIds":[],"recordType":"income","paymentType":null,"recordState":"void",00001","createdAt":"2026-01-02T10:00:00Z","updatedAt":"2026-02-02T23:59:59Z"}');
INSERT INTO "records_by_date" VALUES(1,-1772409600,'00000004-0000-4000-8000-000000000003','{"id":"00000004-0000-4000-8000-000000000003","accountId":"00000001-0000-4000-8000-000000000002","accountName":"Épargne","amount":-0.0001,"currencyCode":"CHF","recordDate":"2026-03-02","category":"Straße","categoryId":"00000002-0000-4000-8000-000000000002","payee":"ÉCOLE","note":null,null,"recordState":null,"transferId":"00000004-0000-4000-8000-000000000063","splitId":null,"valueDate":null,"counterpartyAccount":null,"reference":null,00001","createdAt":"2026-01-03T10:00:00Z","updatedAt":"2026-02-03T23:59:59Z"}');
INSERT INTO "records_by_date" VALUES(1,-1772323200,'00000004-0000-4000-8000-000000000001','{"id":"00000004-0000-4000-8000-000000000001","accountId":"00000001-0000-4000-8000-000000000001","accountName":"Giro","amount":-42.5,"currencyCode":"EUR","recordDate":"2026-03-01","category":"Food","categoryId":"00000002-0000-4000-8000-000000000001","payee":"Corner Shop","note":"100% \\ off_","labels":["home","Home"],"labelIds":["00000003-0000-4000-8000-000000000001","00000003-0000-4000-8000-000000000002"],"recordType":"expense","paymentType":"debit_card","recordState":"cleared","transferId":null,"splitId":null,"valueDate":"2026-03-03","counterpartyAccount":"DE75512108001245126199","reference":"RF18539007","originalAmount":-49.9,"originalCurrencyCode":"USD","importId":"00000000-0000-8000-8000-000000000001","createdAt":"2026-01-01T10:00:00Z","updatedAt":"2026-02-01T23:59:59Z"}');
INSERT INTO "records_by_date" VALUES(1,-1767139200,'00000004-0000-4000-8000-000000000004','{"id":"00000004-0000-4000-8000-000000000004","accountId":"00000001-0000-4000-8000-000000000003","accountName":"giro","amount":0,"currencyCode":"EUR","recordDate":"2025-12-31","category":null,"categoryId":null,"payee":null,"note":"corner","labels":["a, b"],"labelIds":["00000003-0000-4000-8000-000000000003"],"recordType":"income","paymentType":"cash","recordState":"reconciled",00001","createdAt":"2026-01-04T10:00:00Z","updatedAt":"2026-02-04T23:59:59Z"}');
CREATE TABLE sessions (
	sha256 TEXT NOT NULL, 
	user_id BIGINT NOT NULL, 
	created_at BIGINT NOT NULL, 
	seen_at BIGINT NOT NULL, 
	user_agent TEXT NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (sha256), 
	CONSTRAINT fk_sessions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE splits (
	user_id BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	amount BIGINT NOT NULL, 
	record_date BIGINT NOT NULL, 
	payee TEXT, 
	payee_folded TEXT, 
	note TEXT, 
	note_folded TEXT, 
	payment_type TEXT, 
	record_state TEXT, 
	value_date BIGINT, 
	counterparty_account TEXT, 
	counterparty_account_folded TEXT, 
	reference TEXT, 
	reference_folded TEXT, 
	original_amount BIGINT, 
	original_currency_code TEXT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	source TEXT, 
	source_id TEXT, 
	further_sources TEXT, 
	stated TEXT, 
	set_by_hand TEXT, 
	import_id BIGINT, 
	CONSTRAINT pk_splits PRIMARY KEY (user_id, id), 
	CONSTRAINT uq_splits_user_id_source_source_id UNIQUE (user_id, source, source_id), 
	CONSTRAINT fk_splits_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
);
CREATE TABLE standing_orders (
	user_id BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT, 
	name_folded TEXT, 
	type TEXT, 
	account_id TEXT, 
	category_id TEXT, 
	amount BIGINT, 
	currency_code TEXT, 
	payee TEXT, 
	payee_folded TEXT, 
	note TEXT, 
	note_folded TEXT, 
	payment_type TEXT, 
	recurrence_rule TEXT, 
	recurrence_rule_folded TEXT, 
	start_date BIGINT, 
	label_ids TEXT NOT NULL, 
	manual_payment BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	source TEXT, 
	source_id TEXT, 
	CONSTRAINT pk_standing_orders PRIMARY KEY (user_id, id), 
	CONSTRAINT uq_standing_orders_user_id_source_source_id UNIQUE (user_id, source, source_id), 
	CONSTRAINT fk_standing_orders_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
);
INSERT INTO "standing_orders" VALUES(1,'00000007-0000-4000-8000-000000000001','Rent','rent','expense','00000001-0000-4000-8000-000000000001','00000002-0000-4000-8000-000000000001',-8500000,'EUR','Landlord','landlord','flat 3','flat 3','transfer','FREQ=MONTHLY;BYMONTHDAY=1','freq=monthly;bymonthday=1',1767225600,',00000003-0000-4000-8000-000000000001,00000003-0000-4000-8000-000000000002,',0,1767261600,1769990399,NULL,NULL);
INSERT INTO "standing_orders" VALUES(1,'00000007-0000-4000-8000-000000000002','Pay','pay','income',NULL,NULL,20000000,NULL,NULL,NULL,NULL,NULL,NULL,'FREQ=WEEKLY','freq=weekly',1774828800,'',1,1767348000,1770076799,NULL,NULL);
INSERT INTO "standing_orders" VALUES(1,'00000007-0000-4000-8000-000000000003',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'',0,1767434400,1770163199,NULL,NULL);
CREATE TABLE token_usage (
	user_id BIGINT NOT NULL, 
	day BIGINT NOT NULL, 
	token_id TEXT NOT NULL, 
	requests BIGINT NOT NULL, 
	CONSTRAINT pk_token_usage PRIMARY KEY (user_id, day, token_id), 
	CONSTRAINT fk_token_usage_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE tokens (
	id TEXT NOT NULL, 
	user_id BIGINT NOT NULL, 
	name TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	start TEXT NOT NULL, 
	scopes TEXT, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT, 
	last_used_at BIGINT, 
	revoked_at BIGINT, 
	CONSTRAINT pk_tokens PRIMARY KEY (id), 
	CONSTRAINT fk_tokens_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT uq_tokens_sha256 UNIQUE (sha256)
);
INSERT INTO "tokens" VALUES('854cef3b-dd97-440d-97a5-c6f25d0ed1dc',1,'test','e08b985b338a1f22d2a9577f971ab7ce9b414f5885ee6c93d61dd0268bf2b3ca','fin_9zrW',NULL,1773835200,NULL,NULL,NULL);
CREATE TABLE tombstones (
	user_id BIGINT NOT NULL, 
	resource TEXT NOT NULL, 
	row_id TEXT NOT NULL, 
	revision BIGINT NOT NULL, 
	CONSTRAINT pk_tombstones PRIMARY KEY (user_id, resource, row_id), 
	CONSTRAINT fk_tombstones_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE TABLE transfer_proposals (
	user_id BIGINT NOT NULL, 
	out_id TEXT NOT NULL, 
	in_id TEXT NOT NULL, 
	day BIGINT NOT NULL, 
	by_number BOOLEAN NOT NULL, 
	CONSTRAINT pk_transfer_proposals PRIMARY KEY (user_id, out_id), 
	CONSTRAINT fk_transfer_proposals_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE TABLE upload_pieces (
	user_id BIGINT NOT NULL, 
	upload_id TEXT NOT NULL, 
	number BIGINT NOT NULL, 
	content BLOB NOT NULL, 
	CONSTRAINT pk_upload_pieces PRIMARY KEY (user_id, upload_id, number), 
	CONSTRAINT fk_upload_pieces_user_id FOREIGN KEY(user_id, upload_id) REFERENCES uploads (user_id, id) ON DELETE CASCADE
);
CREATE TABLE uploads (
	user_id BIGINT NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	size BIGINT NOT NULL, 
	created_at BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	step BIGINT NOT NULL, 
	alive_at BIGINT NOT NULL, 
	worker TEXT DEFAULT '' NOT NULL, 
	options TEXT NOT NULL, 
	outcome TEXT NOT NULL, 
	CONSTRAINT pk_uploads PRIMARY KEY (user_id, id), 
	CONSTRAINT fk_uploads_user_id FOREIGN KEY(user_id) REFERENCES user_data (user_id) ON DELETE CASCADE
);
CREATE TABLE usage (
	user_id BIGINT NOT NULL, 
	day BIGINT NOT NULL, 
	requests BIGINT NOT NULL, 
	CONSTRAINT pk_usage PRIMARY KEY (user_id, day), 
	CONSTRAINT fk_usage_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE user_data (
	user_id BIGINT NOT NULL, 
	revision BIGINT NOT NULL, 
	changed_at BIGINT NOT NULL, 
	tag BIGINT NOT NULL, 
	record_count BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_user_data PRIMARY KEY (user_id)
);
INSERT INTO "user_data" VALUES(1,1,1773835200,3332979194574636653,4);
CREATE TABLE users (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	uuid TEXT NOT NULL, 
	email TEXT NOT NULL, 
	premium BOOLEAN NOT NULL, 
	enabled BOOLEAN NOT NULL, 
	password_hash TEXT, 
	created_at BIGINT NOT NULL, 
	jwts_revoked_at BIGINT, 
	time_zone TEXT DEFAULT 'UTC' NOT NULL, 
	base_currency TEXT, 
	region TEXT, 
	CONSTRAINT uq_users_uuid UNIQUE (uuid), 
	CONSTRAINT uq_users_email UNIQUE (email)
);
INSERT INTO "users" VALUES(1,'71762c83-bc81-433c-b76f-cad76066a466','user1@example.org',1,1,NULL,1773835200,NULL,'UTC',NULL,NULL);
CREATE INDEX ix_tokens_user_id ON tokens (user_id);
CREATE INDEX ix_question_links_user_id ON question_links (user_id);
CREATE INDEX ix_jwts_user_id ON jwts (user_id);
CREATE INDEX ix_jwts_expires_at ON jwts (expires_at);
CREATE INDEX ix_sessions_user_id ON sessions (user_id);
CREATE INDEX ix_audit_at ON audit (at);
CREATE INDEX ix_audit_user_id_at ON audit (user_id, at);
CREATE INDEX ix_transfer_proposals_user_id_in_id ON transfer_proposals (user_id, in_id);
CREATE INDEX ix_transfer_proposals_user_id_day_out_id ON transfer_proposals (user_id, day, out_id);
CREATE INDEX ix_tombstones_user_id_resource_revision_row_id ON tombstones (user_id, resource, revision, row_id);
CREATE UNIQUE INDEX ix_records_by_date_user_id_id ON records_by_date (user_id, id);
CREATE INDEX ix_accounts_user_id_revision_id ON accounts (user_id, revision, id);
CREATE INDEX ix_accounts_by_name ON accounts (user_id, name, id);
CREATE INDEX ix_categories_user_id_revision_id ON categories (user_id, revision, id);
CREATE INDEX ix_categories_by_name ON categories (user_id, name, id);
CREATE INDEX ix_labels_user_id_revision_id ON labels (user_id, revision, id);
CREATE INDEX ix_labels_by_name ON labels (user_id, name, id);
CREATE INDEX ix_records_splits ON records (user_id, split_id) WHERE split_id IS NOT NULL;
CREATE INDEX ix_records_by_date ON records (user_id, record_date DESC, id, account_id, category_id, currency_code, record_type, record_state, transfer_id, amount, payee, label_ids, import_id);
CREATE INDEX ix_records_by_amount ON records (user_id, amount, id);
CREATE INDEX ix_records_searched ON records (user_id, record_date DESC, id, payee_plain, note_plain, names_plain);
CREATE INDEX ix_records_user_id ON records (user_id);
CREATE INDEX ix_records_transfers ON records (user_id, transfer_id) WHERE transfer_id IS NOT NULL;
CREATE INDEX ix_records_by_payee ON records (user_id, payee, id);
CREATE INDEX ix_records_user_id_account_id ON records (user_id, account_id);
CREATE INDEX ix_records_user_id_revision_id ON records (user_id, revision, id);
CREATE INDEX ix_record_rules_user_id_revision_id ON record_rules (user_id, revision, id);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('users',1);
COMMIT;
