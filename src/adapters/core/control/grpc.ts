import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import type { Deserialize, MethodDefinition, Serialize, ServiceDefinition } from '@grpc/proto-loader';
import { CoreError } from '../../../commands/ports/core.js';
import { startTimeout } from '../../../lib/timeout.js';
import { message, type Text, verbatim } from '../../../messages/message.js';
import { definitions, type TypedMessage } from './messages.js';

interface InboundHandler {
  readonly tag: string;
  readonly receiver_settings?: TypedMessage | null;
  readonly proxy_settings?: TypedMessage | null;
}

interface UserMessage {
  readonly email: string;
  readonly account: TypedMessage | null;
}

/** Request and answer of every call that the panel makes. */
interface Calls {
  'HandlerService/AddInbound': [{ inbound: InboundHandler }, object];
  'HandlerService/RemoveInbound': [{ tag: string }, object];
  'HandlerService/AlterInbound': [{ tag: string; operation: TypedMessage }, object];
  'HandlerService/ListInbounds': [{ isOnlyTags: boolean }, { inbounds: readonly InboundHandler[] }];
  'HandlerService/GetInboundUsers': [{ tag: string; email?: string }, { users: readonly UserMessage[] }];
  /** Answers that are not decoded, because of their size; see `decodeCounters` and `decodeOnline`. */
  'StatsService/QueryStats': [{ pattern: string; reset: boolean }, Buffer];
  'StatsService/GetSysStats': [
    object,
    { Uptime: number; NumGC: number; Alloc: number; Sys: number; LiveObjects: number; PauseTotalNs: number },
  ];
  'StatsService/GetUsersStats': [object, Buffer];
  'RoutingService/AddRule': [{ config: TypedMessage; shouldAppend: boolean }, object];
  'RoutingService/RemoveRule': [{ ruleTag: string }, object];
  'RoutingService/ListRule': [object, { rules: readonly { tag: string; ruleTag: string }[] }];
  'ObservatoryService/GetOutboundStatus': [
    object,
    {
      status: {
        status: readonly {
          alive: boolean;
          delay: number;
          outbound_tag: string;
          last_seen_time: number;
          last_try_time: number;
        }[];
      } | null;
    },
  ];
}

const UNDECODED: ReadonlySet<string> = new Set(['StatsService/QueryStats', 'StatsService/GetUsersStats']);

const packages: Record<string, string> = {
  HandlerService: 'xray.app.proxyman.command',
  StatsService: 'xray.app.stats.command',
  RoutingService: 'xray.app.router.command',
  ObservatoryService: 'xray.core.app.observatory.command',
};

/** The connection to the API of one core. */
export interface CoreApi {
  /**
   * Rejects with `CoreError`: 'unreachable' after `timeoutMs` ms without a response, not counting time in which this process
   * was busy (see `startTimeout`), or 'refused' with the core's reason.
   */
  call<N extends keyof Calls>(name: N, request: Calls[N][0], timeoutMs?: number): Promise<Calls[N][1]>;
  close(): void;
}

/** Opens lazily: nothing is sent before the first call. */
export function connectApi(socket: string): CoreApi {
  const client = new Client(`unix:${socket}`, credentials.createInsecure(), {
    // 20,000 counters are 1 MB; the library stops at 4 MB.
    'grpc.max_receive_message_length': 256 * 1024 * 1024,
    'grpc.enable_http_proxy': 0,
    'grpc.enable_retries': 0,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
  });
  return {
    call: (name, request, timeoutMs = 5000) => {
      const method = methodOf(name);
      return new Promise((resolve, reject) => {
        // Not the deadline of the library, which may pass while this process is busy and the response has arrived.
        const call = client.makeUnaryRequest(
          method.path,
          method.requestSerialize as Serialize<typeof request>,
          (UNDECODED.has(name) ? (bytes: Buffer) => bytes : method.responseDeserialize) as Deserialize<
            Calls[typeof name][1]
          >,
          request,
          (error, answer) => {
            ended();
            if (error) reject(coreError(error));
            else if (answer === undefined) reject(new CoreError('unreachable', message('core.emptyAnswer')));
            else resolve(answer);
          },
        );
        const ended = startTimeout(timeoutMs, () => call.cancel());
      });
    },
    close: () => client.close(),
  };
}

/** Whether the core rejected the removal of a user that it does not have. */
export function isAbsent(error: unknown): boolean {
  return (
    error instanceof CoreError && error.kind === 'refused' && /not found|not enough information/i.test(error.message)
  );
}

/** Whether the core rejected the addition of a user or inbound that it already has. */
export function isPresent(error: unknown): boolean {
  return error instanceof CoreError && error.kind === 'refused' && /already exists|existing tag/i.test(error.message);
}

function methodOf(name: string): MethodDefinition<object, object> {
  const [service = '', method = ''] = name.split('/');
  const found = (definitions[`${packages[service]}.${service}`] as ServiceDefinition | undefined)?.[method];
  if (found === undefined) throw new Error(`no method ${name} in proto/`);
  return found;
}

function coreError(error: ServiceError): CoreError {
  if (error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED || error.code === status.CANCELLED) {
    return new CoreError('unreachable', message('core.noAnswer'), { cause: error });
  }
  return new CoreError('refused', lastWords(error.details), { cause: error });
}

/** The last of the chain of causes that the core reports. */
export function lastWords(chain: string): Text {
  const last = chain.split(' > ').at(-1)?.trim();
  return last ? verbatim(last) : message('core.noReason');
}
