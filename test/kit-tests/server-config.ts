import type { InboundBody } from '../kit/real/inbounds.js';

/** The body of /add as the core wants it: inner JSON parsed, protocol ids of the core, the panel's own members gone. */
function coreInbound(body: InboundBody): Record<string, unknown> {
  const settings = JSON.parse(body.settings) as Record<string, unknown>;
  const stream = JSON.parse(body.streamSettings) as Record<string, Record<string, unknown> | string>;
  const { externalProxy: _, ...streamSettings } = stream;
  for (const key of ['tlsSettings', 'realitySettings']) {
    const security = streamSettings[key];
    if (typeof security === 'object') delete security['settings'];
  }
  if (body.protocol === 'vless') delete settings['encryption'];
  return {
    tag: body.remark,
    listen: body.listen,
    port: body.port,
    protocol: CORE_IDS[body.protocol] ?? body.protocol,
    settings,
    streamSettings,
  };
}

const CORE_IDS: Partial<Record<string, string>> = { hysteria2: 'hysteria', dokodemo: 'dokodemo-door' };

/** A server that may reach loopback, as core.md part 8 has it; wireguard traffic is led to the target on 127.0.0.1. */
export function serverConfig(bodies: InboundBody[], targetPort: number): object {
  const allow = { finalRules: [{ action: 'allow' }] };
  return {
    log: { loglevel: 'warning', access: '' },
    inbounds: bodies.map(coreInbound),
    outbounds: [
      { tag: 'direct', protocol: 'freedom', settings: allow },
      { tag: 'to-target', protocol: 'freedom', settings: { ...allow, redirect: `127.0.0.1:${targetPort}` } },
    ],
    routing: { rules: [{ inboundTag: ['wireguard'], outboundTag: 'to-target' }] },
  };
}
