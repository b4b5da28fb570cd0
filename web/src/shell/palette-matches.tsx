import type { SpotlightActionData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMay } from '../api/access';
import { clientPage, inbounds, nodes } from '../api/queries';
import { clientPath } from '../model/clients';
import { useAllowedScreens } from './allowed-screens';

/** Matches of each kind. */
const MOST = 6;

interface Matches {
  readonly screens: SpotlightActionData[];
  readonly clients: SpotlightActionData[];
  readonly inbounds: SpotlightActionData[];
  readonly nodes: SpotlightActionData[];
  /** Whether matches may still be missing. */
  readonly isLoading: boolean;
}

/** Where the palette can go. `wanted`: what is typed, in lower case. The server searches the clients. */
export function usePaletteMatches(wanted: string): Matches {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const may = useMay();
  const screens = useAllowedScreens();
  const isSearching = wanted !== '';
  const found = useQuery({
    ...clientPage({ search: wanted, limit: MOST }),
    enabled: isSearching && may('/panel/api/clients/page'),
    refetchInterval: false,
  });
  const allInbounds = useQuery({ ...inbounds, enabled: isSearching && may('/panel/api/inbounds/overview') });
  const allNodes = useQuery({ ...nodes, enabled: isSearching && may('/panel/api/nodes/list'), refetchInterval: false });
  const go = (path: string) => () => void navigate(path);
  const matching = <T,>(all: readonly T[], textOf: (one: T) => string): readonly T[] =>
    isSearching ? all.filter((one) => textOf(one).toLowerCase().includes(wanted)).slice(0, MOST) : [];
  return {
    isLoading: found.isLoading || allInbounds.isLoading || allNodes.isLoading,
    screens: screens
      .map(({ id, icon: Icon }) => ({
        id,
        label: t(`nav.${id}`),
        onClick: go(`/${id}`),
        leftSection: <Icon size={18} aria-hidden />,
      }))
      .filter(({ label, id }) => `${label} ${id}`.toLowerCase().includes(wanted)),
    clients: [...new Set((isSearching ? (found.data?.clients ?? []) : []).map(({ email }) => email))].map((email) => ({
      id: `client-${email}`,
      label: email,
      onClick: go(clientPath(email)),
    })),
    inbounds: matching(allInbounds.data ?? [], ({ remark, tag, port }) => `${remark} ${tag} ${port}`).map(
      ({ id, remark, port }) => ({
        id: `inbound-${id}`,
        label: remark || `#${id}`,
        description: String(port),
        onClick: go(`/inbounds/${id}`),
      }),
    ),
    nodes: matching(allNodes.data ?? [], ({ name, remark, host }) => `${name} ${remark} ${host}`).map(
      ({ id, name, host }) => ({ id: `node-${id}`, label: name, description: host, onClick: go(`/nodes/${id}`) }),
    ),
  };
}
