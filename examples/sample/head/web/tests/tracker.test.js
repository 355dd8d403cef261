import { state } from "../src/tracker.js";

describe("state", () => {
  it("is unknown without events", () => {
    expect(state([])).toBe("unknown");
  });

  it.only("is the last one", () => {
    expect(state([{ state: "sent" }, { state: "there" }])).toBe("there");
  });

  it('only looks at the last event, like it.only("…") looks at one test', () => {
    expect(state([{ state: "there" }])).toBe("there");
  });
});
