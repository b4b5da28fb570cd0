import { describe, expect, it } from 'vitest';
import { validSpec } from '../../../src/commands/node/node-rules.js';
import { Rejection } from '../../../src/commands/rejection.js';
import { panelState } from '../../../src/commands/state.js';
import type { PanelEvent } from '../../../src/events/catalog.js';
import { NodeId } from '../../../src/events/ids.js';
import {
  NodeAdded,
  NodeDeleted,
  NodeDisabled,
  NodeEnabled,
  NodeIdentified,
  type NodeSpec,
  NodeTokenReplaced,
  NodeUpdated,
  NodeWentOffline,
  NodeWentOnline,
} from '../../../src/events/node/node.js';
import { DataKeyDestroyed } from '../../../src/events/panel.js';
import { message, verbatim } from '../../../src/messages/message.js';
import { T0 } from '../../kit/builders.js';
import { folded, given } from '../../kit/spec.js';

const one = NodeId.parse(1);
const two = NodeId.parse(2);
const spec: NodeSpec = {
  name: 'Frankfurt',
  remark: '',
  scheme: 'https',
  host: 'node.example.com',
  port: 2053,
  basePath: '/',
  allowPrivateAddress: false,
};
const added = NodeAdded({ node: one, enabled: true, spec, keyVersion: 1, secret: { token: 'token-1' } });
const other = NodeAdded({
  node: two,
  enabled: true,
  spec: { ...spec, name: 'Oslo', host: 'oslo.example.com' },
  keyVersion: 1,
  secret: { token: 'token-2' },
});
const add = (over: Partial<NodeSpec> = {}, token = 'token-1') =>
  ({ type: 'AddNode', data: { enabled: true, spec: { ...spec, ...over }, token } }) as const;
const update = (changes: Partial<NodeSpec>, token = '', enabled?: boolean) =>
  ({ type: 'UpdateNode', data: { node: one, changes, token, enabled } }) as const;
const shredded = DataKeyDestroyed({ key: 'node:1/token/1', reason: 'rotated' });
const portolan = { kind: 'portolan', panelId: 'panel-a' } as const;

/** A node as it stands after these events. */
const nodeAfter = (...events: readonly PanelEvent[]) => {
  const node = folded(panelState, ...events).nodes.get(one);
  if (!node) throw new Error('there is no node');
  return node;
};

describe('AddNode', () => {
  it('adds a node with the next number in canonical spelling', () => {
    const draft = { name: ' Frankfurt ', scheme: 'https' as const, host: 'NODE.Example.com', basePath: 'x//y' };
    given(other)
      .when(add(draft, ' token-1 '))
      .then(
        NodeAdded({
          node: NodeId.parse(3),
          enabled: true,
          spec: { ...spec, basePath: '/x/y/' },
          keyVersion: 1,
          secret: { token: 'token-1' },
        }),
      );
  });

  it('assigns no number twice', () => {
    given(added, NodeDeleted({ node: one }))
      .when(add())
      .then(NodeAdded({ ...added.data, node: two }));
  });

  it.each(['Frankfurt', 'FRANKFURT', ' frankfurt '])('refuses the name %j of another', (name) => {
    given(added).when(add({ name })).thenRejects('NODE_NAME_TAKEN', { name: name.trim() });
  });

  it('accepts a name with joiners', () => {
    const name = 'گره\u200cها';
    given()
      .when(add({ name }))
      .then(NodeAdded({ ...added.data, spec: { ...added.data.spec, name } }));
  });

  it.each([
    [{ name: '  ' }, message('node.nameRequired')],
    [{ name: 'a\u0007b' }, message('node.nameHidden', { code: 'U+0007' })],
    [{ name: 'x'.repeat(101) }, message('node.nameTooLong', { max: 100 })],
    [{ name: '\ud800' }, message('node.nameNotUnicode')],
    [{ name: 'a\u202eb' }, message('node.nameHidden', { code: 'U+202E' })],
    [{ remark: 'line\u202eenil' }, message('node.remarkHidden')],
    [{ remark: 'a\u0000b' }, message('node.remarkHidden')],
    [{ remark: 'x'.repeat(1001) }, message('node.remarkTooLong', { max: 1000 })],
    [{ scheme: 'ftp' as 'http' }, message('node.schemeInvalid', { scheme: 'ftp' })],
    [{ host: ' ' }, message('node.addressRequired')],
    [{ host: 'a b' }, message('node.hostInvalid', { host: 'a b' })],
    [{ host: 'user@host' }, message('node.hostInvalid', { host: 'user@host' })],
    [{ host: 'host/path' }, message('node.hostInvalid', { host: 'host/path' })],
    [{ host: 'host:80' }, message('node.hostInvalid', { host: 'host:80' })],
    [{ host: 'host?x' }, message('node.hostInvalid', { host: 'host?x' })],
    [{ host: 'a\nb' }, message('node.hostInvalid', { host: 'a\nb' })],
    [{ host: '[::1]:80' }, message('node.hostInvalid', { host: '[::1]:80' })],
    [{ host: 'fe80::1%eth0' }, message('node.hostInvalid', { host: 'fe80::1%eth0' })],
    [{ host: '999.1.1.1' }, message('node.hostInvalid', { host: '999.1.1.1' })],
    [{ port: 0 }, message('node.portInvalid')],
    [{ port: 65_536 }, message('node.portInvalid')],
    [{ port: 1.5 }, message('node.portInvalid')],
    [{ basePath: '/a/../b/' }, message('node.basePathInvalid', { path: '/a/../b/' })],
    [{ basePath: '/a?b' }, message('node.basePathInvalid', { path: '/a?b' })],
    [{ basePath: '/a#b' }, message('node.basePathInvalid', { path: '/a#b' })],
    [{ basePath: '/%2e%2e/' }, message('node.basePathInvalid', { path: '/%2e%2e/' })],
    [{ basePath: '/a\\b' }, message('node.basePathInvalid', { path: '/a\\b' })],
    [{ basePath: `/${'x'.repeat(500)}` }, message('node.basePathInvalid', { path: `/${'x'.repeat(99)}` })],
  ])('rejects %j', (over, why) => {
    given().when(add(over)).thenRejects('NODE_INVALID', { why });
  });

  it.each(['a b', 'a\r\nb', 'ä', 'x'.repeat(4097)])(
    'refuses a token that an HTTP header cannot carry (%#)',
    (token) => {
      const why = message('node.tokenInvalid');
      given().when(add({}, token)).thenRejects('NODE_INVALID', { why });
    },
  );

  it.each([
    ['0x7f.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['１２７.０.０.１', '127.0.0.1'],
    ['127。0。0。1', '127.0.0.1'],
    ['%6cocalhost', 'localhost'],
    ['LOCALHOST', 'localhost'],
    ['[::1]', '::1'],
    ['::ffff:127.0.0.1', '::ffff:7f00:1'],
    ['2001:DB8::0:1', '2001:db8::1'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
  ])('normalizes the host %s', (host, canonical) => {
    const sound = validSpec({ ...spec, host });
    expect(sound).toMatchObject({ host: canonical });
    expect(sound instanceof Rejection ? null : validSpec(sound)).toStrictEqual(sound);
  });
});

describe('UpdateNode', () => {
  it('records only what changed', () => {
    given(added)
      .when(update({ remark: 'rack 4', port: 2053 }))
      .then(NodeUpdated({ node: one, changes: { remark: 'rack 4' } }));
    given(added)
      .when(update({ name: 'Frankfurt' }))
      .thenNothing();
  });

  it.each([{ host: 'evil.example.com' }, { port: 2054 }, { scheme: 'http' as const }, { basePath: '/x/' }])(
    'sends the token to %j only when it is given again',
    (changes) => {
      given(added).when(update(changes)).thenRejects('NODE_TOKEN_NEEDED');
      given(added)
        .when(update({ ...changes, allowPrivateAddress: true }, '  '))
        .thenRejects('NODE_TOKEN_NEEDED');
      given(added)
        .when(update(changes, 'token-9'))
        .then(
          NodeUpdated({ node: one, changes }),
          NodeTokenReplaced({ node: one, keyVersion: 2, secret: { token: 'token-9' } }),
          shredded,
        );
    },
  );

  it('changes the address of a node without a token without asking for one', () => {
    const bare = NodeAdded({ ...added.data, secret: { token: '' } });
    given(bare)
      .when(update({ port: 1 }))
      .then(NodeUpdated({ node: one, changes: { port: 1 } }));
  });

  it('counts the same token as a new one, so that another panel is accepted', () => {
    given(added, NodeIdentified({ node: one, ...portolan }))
      .when(update({}, 'token-1'))
      .then(NodeTokenReplaced({ node: one, keyVersion: 2, secret: { token: 'token-1' } }), shredded);
    const again = NodeTokenReplaced({ node: one, keyVersion: 2, secret: { token: 'token-1' } });
    expect(nodeAfter(added, NodeIdentified({ node: one, ...portolan }), again).identity).toBeNull();
  });

  it('enables and disables a node with the same command', () => {
    given(added)
      .when(update({}, '', false))
      .then(NodeDisabled({ node: one }));
    given(added)
      .when(update({}, '', true))
      .thenNothing();
  });

  it('rejects the name of another node, and a node that does not exist', () => {
    given(added, other)
      .when(update({ name: 'oslo' }))
      .thenRejects('NODE_NAME_TAKEN', { name: 'oslo' });
    given(other).when(update({})).thenRejects('NODE_NOT_FOUND', { node: 1 });
  });
});

describe('SetNodeEnabled, DeleteNode', () => {
  const enable = (enabled: boolean) => ({ type: 'SetNodeEnabled', data: { node: one, enabled } }) as const;
  const remove = { type: 'DeleteNode', data: { node: one } } as const;

  it('change only what differs', () => {
    given(added)
      .when(enable(false))
      .then(NodeDisabled({ node: one }));
    given(added, NodeDisabled({ node: one }))
      .when(enable(true))
      .then(NodeEnabled({ node: one }));
    given(added).when(enable(true)).thenNothing();
    given(added)
      .when(remove)
      .then(NodeDeleted({ node: one }));
    given().when(enable(true)).thenRejects('NODE_NOT_FOUND', { node: 1 });
    given().when(remove).thenRejects('NODE_NOT_FOUND', { node: 1 });
  });

  it('leave the key of the last token until deleted data is erased', () => {
    const replaced = NodeTokenReplaced({ node: one, keyVersion: 2, secret: { token: 'x' } });
    const { erasable } = folded(panelState, added, replaced, NodeDeleted({ node: one }));
    expect([...erasable]).toStrictEqual([
      ['node:1', { at: T0, since: T0, keys: ['node:1/token/2', 'node:1/unmanaged-items'] }],
    ]);
  });
});

describe('a report of a node', () => {
  const queried = nodeAfter(added);
  const online = { type: 'RecordNodeOnline', data: { queried } } as const;
  const offline = { type: 'RecordNodeOffline', data: { queried, reason: verbatim('gone') } } as const;
  const identity = { type: 'RecordNodeIdentity', data: { queried, identity: portolan } } as const;

  it('becomes events', () => {
    given(added)
      .when(online)
      .then(NodeWentOnline({ node: one }));
    given(added)
      .when(offline)
      .then(NodeWentOffline({ node: one, reason: verbatim('gone') }));
    given(added)
      .when(identity)
      .then(NodeIdentified({ node: one, ...portolan }));
  });

  it('is dropped when the node was deleted or got another address or token meanwhile', () => {
    const moved = NodeUpdated({ node: one, changes: { port: 1 } });
    const replaced = NodeTokenReplaced({ node: one, keyVersion: 2, secret: { token: 'x' } });
    const opened = NodeUpdated({ node: one, changes: { allowPrivateAddress: true } });
    for (const change of [NodeDeleted({ node: one }), moved, replaced, opened])
      for (const told of [online, offline, identity]) given(added, change).when(told).thenNothing();
    const renamed = NodeUpdated({ node: one, changes: { name: 'Oslo' } });
    given(added, renamed)
      .when(online)
      .then(NodeWentOnline({ node: one }));
  });

  it('records no availability while the node is disabled', () => {
    given(added, NodeDisabled({ node: one }))
      .when(online)
      .thenNothing();
    given(added, NodeDisabled({ node: one }))
      .when(offline)
      .thenNothing();
  });

  it('does not change its identity', () => {
    given(added, NodeIdentified({ node: one, kind: '3x-ui', panelId: '' }))
      .when(identity)
      .thenNothing();
  });
});
