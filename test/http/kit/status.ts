/** The status of a route in the panel of the kit, which keeps no backups: 503 stands for a file that cannot be sent. */
export function usualStatus(path: string): number {
  return /\/backups\/(?!make$|check$)[^/]+$/.test(path) ? 503 : 200;
}
