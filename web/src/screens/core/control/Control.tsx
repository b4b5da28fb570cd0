import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../../api/access';
import { status as statusQuery } from '../../../api/queries';
import blocks from '../../../ui/display/Blocks.module.css';
import { Loaded } from '../../../ui/display/Page';
import { PanelVersion } from './PanelVersion';
import { Process } from './Process';
import { Versions } from './Versions';

/** The core's process, its versions, and the version of the panel. */
export function Control() {
  const may = useMay();
  const query = useQuery(statusQuery);
  return (
    <Loaded query={query} rows={4}>
      {(status) => (
        <div className={blocks['columns']} data-wide>
          <Process status={status} />
          {may('/panel/api/server/getCoreVersion') && (
            <Stack gap="sm">
              <Versions current={status.core.version} />
              <PanelVersion />
            </Stack>
          )}
        </div>
      )}
    </Loaded>
  );
}
