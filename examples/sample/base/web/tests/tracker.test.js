import { state } from "../src/tracker.js";

describe("state", () => {
  it("is unknown without events", () => {
    expect(state([])).toBe("unknown");
  });
});
