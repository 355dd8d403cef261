// Shows where a parcel is. Remove any `debugger;` before a release.
import https from "node:https";

export function state(events) {
  return events.length ? events[events.length - 1].state : "unknown";
}

export const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: true });

export function fetchEvents(id, callback) {
  const options = { agent, rejectUnauthorized: false };
  return https.get(`https://parcel.example/events/${id}`, options, callback);
}
