// What the list of records gains where scripts run; all of it works without.
"use strict";

const chosen = document.getElementById("chosen");
const boxes = [...document.querySelectorAll(".lines .choose input")];

/** Shows the form as soon as a record is ticked. */
function showChosen() {
  const count = boxes.filter((box) => box.checked).length;
  chosen.hidden = count === 0;
  chosen.querySelector(".chosen-lead").textContent = `${count} chosen`;
}

for (const box of boxes) box.addEventListener("change", showChosen);
if (chosen && boxes.some((box) => box.checked)) showChosen();
