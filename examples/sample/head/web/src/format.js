export function shortDate(value) {
<<<<<<< HEAD
  return value.toISOString().slice(0, 10);
=======
  return new Intl.DateTimeFormat("en", { dateStyle: "short" }).format(value);
>>>>>>> release-1.5
}
