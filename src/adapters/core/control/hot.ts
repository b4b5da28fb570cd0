import {
  CoreError,
  type CoreInbound,
  type CoreUser,
  type OnlineUser,
  type RunningAccount,
} from '../../../commands/ports/core.js';
import { accountName, clientOfAccount, emailOfAccount, type NamedClient } from '../../../lib/account-name.js';
import type { JsonObject } from '../../../lib/json.js';
import { message } from '../../../messages/message.js';
import { destroy, onPorts, socketsOf } from '../attribution/sockets.js';
import { accountFormatOf, addUserOperation, runningDigest } from '../config/account.js';
import { convertAll, type Handler } from '../config/convert-all.js';
import { isDetached, portsOf } from '../config/inbound.js';
import { placeholderUser } from '../config/names.js';
import { unblockAll, unblockUser } from '../config/routing.js';
import type { Binary, Converted } from '../process/binary.js';
import { type CoreApi, isAbsent, isPresent } from './grpc.js';
import { typed } from './messages.js';
import { decodeOnline } from './online-users.js';

/** Resolves to those that the core rejects, by tag; they do not run. Rejects with `CoreError` when it is unknown which of them run. */
export async function addInbounds(
  api: CoreApi,
  binary: Binary,
  inbounds: readonly CoreInbound[],
  whole: (inbound: CoreInbound) => JsonObject,
): Promise<ReadonlyMap<string, CoreError>> {
  const convert = async (config: { readonly inbounds: readonly JsonObject[] }): Promise<Converted> => {
    // Tested first: an inbound that crashes the test would crash the running core too, and close all connections.
    const [converted] = await Promise.all([binary.convert(config), binary.testInbounds(config)]);
    return converted;
  };
  const { handlers, problems } = await convertAll(inbounds, { whole, convert });
  const refused = new Map(problems);
  for (const handler of handlers) {
    const problem = await addHandler(api, handler);
    if (problem !== null) refused.set(handler.tag, problem);
  }
  return refused;
}

async function addHandler(api: CoreApi, inbound: Handler): Promise<CoreError | null> {
  const { tag } = inbound;
  try {
    await api.call('HandlerService/AddInbound', { inbound }, 15_000);
    return null;
  } catch (error) {
    // The core keeps the tag of an inbound that could not be opened; an inbound that existed before this call stays.
    if (!isPresent(error)) await removeHandler(api, tag).catch(() => undefined);
    if (!(error instanceof CoreError) || error.kind !== 'refused') throw error;
    return new CoreError('refused', error.text, { inbound: tag, cause: error });
  }
}

export async function removeInbound(api: CoreApi, pid: number, inbound: CoreInbound): Promise<void> {
  await removeHandler(api, inbound.tag);
  if (isDetached(inbound.config)) await unblockAll(api, inbound.tag);
  const ports = portsOf(inbound.config);
  if (ports.length === 0) return;
  // Only the listener is closed: most transports would keep serving connected clients. Twice, for clients that were just accepted.
  for (let look = 0; look < 2; look += 1) await destroy('tcp', await socketsOf(pid, onPorts(ports)));
}

export async function addUser(api: CoreApi, inbound: CoreInbound, user: CoreUser): Promise<void> {
  const operation = addUserOperation(inbound, user);
  if (isDetached(inbound.config)) await unblockUser(api, inbound.tag, user.client);
  // These protocols reject a second account of the same name; the others would keep both.
  if (!['vless', 'vmess', 'trojan'].includes(String(inbound.config['protocol']))) await removeUser(api, inbound, user);
  try {
    await api.call('HandlerService/AlterInbound', { tag: inbound.tag, operation });
  } catch (error) {
    if (!isPresent(error)) throw error;
    await removeUser(api, inbound, user);
    await api.call('HandlerService/AlterInbound', { tag: inbound.tag, operation });
  }
}

export function removeUser(api: CoreApi, inbound: CoreInbound, user: NamedClient): Promise<void> {
  return removeAccount(api, inbound, accountName(user));
}

async function removeAccount(api: CoreApi, inbound: CoreInbound, email: string): Promise<void> {
  if (accountFormatOf(inbound.config) === null)
    throw new CoreError('refused', message('core.noAccountsToRemove'), { inbound: inbound.tag });
  const operation = typed('xray.app.proxyman.command.RemoveUserOperation', { email });
  await api.call('HandlerService/AlterInbound', { tag: inbound.tag, operation }).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
}

export async function usersOf(api: CoreApi, inbound: CoreInbound): Promise<ReadonlyMap<number, RunningAccount>> {
  const { tag, config } = inbound;
  if (accountFormatOf(config) === null) return new Map();
  const { users } = await api.call('HandlerService/GetInboundUsers', { tag }, 15_000);
  const found = new Map<number, RunningAccount>();
  for (const { email: name, account } of users) {
    if (name === '' || name === placeholderUser) continue;
    const client = clientOfAccount(name);
    // An account of an unknown client.
    if (client === 0 || found.has(client)) await removeAccount(api, inbound, name);
    else found.set(client, { email: emailOfAccount(name), digest: runningDigest(config as JsonObject, name, account) });
  }
  return found;
}

/** The clients with open connections, and their addresses. */
export async function onlineUsers(api: CoreApi): Promise<readonly OnlineUser[]> {
  return decodeOnline(await api.call('StatsService/GetUsersStats', {}));
}

async function removeHandler(api: CoreApi, tag: string): Promise<void> {
  await api.call('HandlerService/RemoveInbound', { tag }).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
}
