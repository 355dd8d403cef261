export function shortDate(value) {
  return value.toISOString().slice(0, 10);
}
