import { api } from './client';

export const UNDO_PATH = '/panel/api/events/:position/undo';

/** Takes back the command of an event, as the audit does. Returns what the panel says, with what it could not take back. */
export async function undoCommand(position: number): Promise<string> {
  const { msg, obj } = await api.post(UNDO_PATH, { params: { position }, body: {} });
  const obstacles = 'obstacles' in obj ? obj.obstacles : [];
  return [msg, ...obstacles.map(({ document, name, why }) => `${name || document}: ${why}`)].join('\n');
}
