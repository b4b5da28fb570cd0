/** What a route answers with in the panel of the kit, which has no database file to give. */
export function usualStatus(path: string): number {
  return path.endsWith('/getDb') ? 503 : 200;
}
