import { Paper, SimpleGrid } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Status as MachineStatus } from '../../api/contract.generated';
import { Technical, useFormat } from '../../ui/display/format';
import { Meter, Status } from '../../ui/display/Status';
import classes from './Overview.module.css';

const CORE_TONES = { running: 'good', stop: 'quiet', error: 'bad' } as const;

/** The core and the machine, each number with what it is a part of. */
export function Tiles({ status }: { readonly status: MachineStatus }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const { core, cpu, cpuCores, load, mem, disk, netIO, netTraffic, appStats, tcpCount, udpCount } = status;
  return (
    <SimpleGrid cols={{ base: 2, md: 3, lg: 5 }} spacing="sm">
      <Paper p="md" className={classes['tile']}>
        <span className={classes['label']}>{t('core')}</span>
        <Status tone={CORE_TONES[core.state]}>{t(`core.${core.state}`)}</Status>
        <span className={classes['note']} title={core.errorMsg}>
          {core.state === 'error' ? core.errorMsg : <Technical>{core.version}</Technical>}
          {core.state === 'running' && ` · ${format.duration(appStats.uptime)}`}
        </span>
      </Paper>
      <Tile
        label={t('cpu')}
        value={format.percent(cpu / 100)}
        share={cpu / 100}
        note={t('cpu.note', { cores: format.number(cpuCores), load: format.number(load.load1, 2) })}
      />
      <Tile
        label={t('memory')}
        value={format.percent(mem.total > 0 ? mem.current / mem.total : 0)}
        share={mem.total > 0 ? mem.current / mem.total : 0}
        note={`${format.bytes(mem.current)} / ${format.bytes(mem.total)}`}
      />
      <Tile
        label={t('disk')}
        value={format.percent(disk.total > 0 ? disk.current / disk.total : 0)}
        share={disk.total > 0 ? disk.current / disk.total : 0}
        note={`${format.bytes(disk.current)} / ${format.bytes(disk.total)}`}
      />
      <Paper p="md" className={classes['tile']}>
        <span className={classes['label']}>{t('network')}</span>
        <span className={classes['value']}>
          <Technical>
            ↑ {format.rate(netIO.up)} <br />↓ {format.rate(netIO.down)}
          </Technical>
        </span>
        <span
          className={classes['note']}
          title={t('network.total', { sent: format.bytes(netTraffic.sent), received: format.bytes(netTraffic.recv) })}
        >
          {t('connections', { tcp: format.number(tcpCount), udp: format.number(udpCount) })}
        </span>
      </Paper>
    </SimpleGrid>
  );
}

function Tile({
  label,
  value,
  share,
  note,
}: {
  readonly label: string;
  readonly value: string;
  readonly share: number;
  readonly note: string;
}) {
  return (
    <Paper p="md" className={classes['tile']}>
      <span className={classes['label']}>{label}</span>
      <span className={classes['value']}>{value}</span>
      <Meter share={share} />
      <span className={classes['note']}>{note}</span>
    </Paper>
  );
}
