// Shows where a parcel is.
export function state(events) {
  return events.length ? events[events.length - 1].state : "unknown";
}
