/** The status of a route in the panel of the kit, which has no database file to send. */
export function usualStatus(path: string): number {
  return path.endsWith('/getDb') ? 503 : 200;
}
