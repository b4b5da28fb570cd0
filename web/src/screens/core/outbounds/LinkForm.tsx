import '../form-styles';

import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { JsonObject } from '../../../model/json';
import blocks from '../../../ui/display/Blocks.module.css';
import { Technical } from '../../../ui/display/format';
import { Status } from '../../../ui/display/Status';
import { SidePanel } from '../../../ui/feedback/SidePanel';
import classes from '../Core.module.css';
import { textAt } from '../template';
import { serverOf } from './places';
import { outboundOfLink } from './share-link';
import { freeTag } from './share-stream';

interface Props {
  /** Names that are taken. */
  readonly tags: readonly string[];
  readonly onAdd: (outbounds: readonly JsonObject[]) => void;
  readonly onClose: () => void;
}

/** Makes outbounds of share links, one on each line. */
export function LinkForm({ tags, onAdd, onClose }: Props) {
  const { t } = useTranslation(['core', 'shell']);
  const [text, setText] = useState('');
  const lines = text.split(/\s+/).filter((line) => line !== '');
  const read = readLinks(lines, tags);
  const outbounds = read.map(({ outbound }) => outbound).filter((outbound) => outbound !== null);
  return (
    <SidePanel onClose={onClose} title={t('link.title')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onAdd(outbounds);
          onClose();
        }}
      >
        <Stack gap="sm">
          <Textarea
            label={t('link.field')}
            description={t('link.help')}
            autosize
            minRows={4}
            maxRows={12}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            dir="ltr"
            spellCheck={false}
            autoComplete="off"
            data-autofocus
          />
          <ul className={`${blocks['list']} ${classes['list']}`} aria-live="polite">
            {read.map(({ line, outbound }, index) => (
              <li key={`${index}-${line}`}>
                <div className={classes['main']}>
                  {outbound ? (
                    <>
                      <Status tone="good">
                        <Technical>{textAt(outbound, 'tag')}</Technical>
                      </Status>
                      <span className={classes['note']}>
                        <Technical>{`${textAt(outbound, 'protocol')} · ${serverOf(outbound)}`}</Technical>
                      </span>
                    </>
                  ) : (
                    <>
                      <Status tone="bad">{t('link.unknown')}</Status>
                      <span className={classes['note']}>
                        <Technical>{line.slice(0, 60)}</Technical>
                      </span>
                    </>
                  )}
                </div>
              </li>
            ))}
          </ul>
          {text === '' && (
            <Text size="xs" c="dimmed">
              <Technical>vless:// vmess:// trojan:// ss:// hysteria2:// wireguard://</Technical>
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel', { ns: 'shell' })}
            </Button>
            <Button type="submit" disabled={outbounds.length === 0}>
              {t('link.add', { count: outbounds.length })}
            </Button>
          </Group>
        </Stack>
      </form>
    </SidePanel>
  );
}

interface Read {
  readonly line: string;
  readonly outbound: JsonObject | null;
}

/** Each line with its outbound, under a name that no other outbound has. */
function readLinks(lines: readonly string[], tags: readonly string[]): readonly Read[] {
  const taken = [...tags];
  return lines.map((line) => {
    const shared = outboundOfLink(line);
    if (!shared) return { line, outbound: null };
    const tag = freeTag(shared.name || textAt(shared.outbound, 'protocol'), taken);
    taken.push(tag);
    return { line, outbound: { tag, ...shared.outbound } };
  });
}
