/** The status of a route in the panel of the kit, which keeps no backups. */
export function usualStatus(path: string): number {
  return /\/backups\/(?!make$|check$)[^/]+$/.test(path) ? 404 : 200;
}
