import { Alert, Button, PasswordInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import IconPlugConnected from '@tabler/icons-react/dist/esm/icons/IconPlugConnected.mjs';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Node } from '../../api/contract.generated';
import { Technical, useFormat } from '../../ui/display/format';
import { sentenceOf } from '../../ui/feedback/toast';
import { DrawerForm } from '../../ui/form/DrawerForm';
import { type FieldOf, memberIn } from '../../ui/form/use-refusal';
import { STALE } from './actions';
import classes from './Nodes.module.css';
import { placeOf, urlOf } from './state';

interface Values {
  name: string;
  url: string;
  apiToken: string;
  remark: string;
  allowPrivateAddress: boolean;
}

interface Props {
  /** Null = a new one. */
  readonly node: Node | null;
  readonly onClose: () => void;
}

/** Adds a node, or changes one. The token of a node that exists stays when the field is left empty. */
export function NodeForm({ node, onClose }: Props) {
  const { t } = useTranslation(['nodes', 'shell']);
  const form = useForm<Values>({
    initialValues: {
      name: node?.name ?? '',
      url: node ? urlOf(node) : '',
      apiToken: '',
      remark: node?.remark ?? '',
      allowPrivateAddress: node?.allowPrivateAddress ?? false,
    },
    validate: {
      name: (value) => (value.trim() === '' ? t('form.required') : null),
      url: (value) => (placeOf(value) === null ? t('form.urlWrong') : null),
      apiToken: (value) => (node === null && value.trim() === '' ? t('form.required') : null),
    },
  });
  const requestOf = (values: Values) =>
    node
      ? api.request('/panel/api/nodes/update/:id', { params: { id: node.id }, body: bodyOf(values) })
      : api.request('/panel/api/nodes/add', { body: bodyOf(values) });
  return (
    <DrawerForm
      title={node ? t('editTitle', { name: node.name }) : t('addTitle')}
      submit={node ? t('save', { ns: 'shell' }) : t('add')}
      form={form}
      request={requestOf}
      stale={STALE}
      fieldOf={(error) =>
        error.code === PRIVATE
          ? { field: 'allowPrivateAddress', text: t('form.privateRefused', { host: hostOf(form.values) }) }
          : fieldOf(error)
      }
      onClose={onClose}
    >
      <TextInput label={t('form.name')} dir="auto" data-autofocus {...form.getInputProps('name')} />
      <TextInput
        label={t('form.url')}
        description={t('form.urlHelp')}
        placeholder="https://fra.example.com:2053/secret/"
        dir="ltr"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps('url')}
      />
      {placeOf(form.values.url)?.scheme === 'http' && (
        <Text size="xs" c="var(--warn)">
          {t('form.plain')}
        </Text>
      )}
      <PasswordInput
        label={t('form.token')}
        description={node ? t('form.tokenKept') : t('form.tokenHelp')}
        dir="ltr"
        autoComplete="off"
        {...form.getInputProps('apiToken')}
      />
      <TextInput label={t('form.remark')} dir="auto" {...form.getInputProps('remark')} />
      <Switch
        label={t('form.private')}
        description={t('form.privateHelp')}
        {...form.getInputProps('allowPrivateAddress', { type: 'checkbox' })}
      />
      <Test values={form.values} />
    </DrawerForm>
  );
}

const PRIVATE = 'NODE_ADDRESS_PRIVATE';
const FIELD_OF_CODE: Readonly<Record<string, keyof Values>> = {
  ...{ NODE_NAME_TAKEN: 'name', NODE_IS_SELF: 'url', NODE_TOKEN_NEEDED: 'apiToken' },
};

const fieldOf: FieldOf<Values> = (error) => {
  const field = FIELD_OF_CODE[error.code] ?? memberIn(error, ['name', 'remark', 'apiToken'] as const);
  return field ? { field } : null;
};

const hostOf = ({ url }: Values): string => placeOf(url)?.host ?? '';

/** Connects with what is typed, and stores nothing. */
function Test({ values }: { readonly values: Values }) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  const test = useMutation({
    mutationFn: async () => (await api.post('/panel/api/nodes/test', { body: bodyOf(values) })).obj,
  });
  const isReady = placeOf(values.url) !== null && values.apiToken.trim() !== '';
  const { data, error } = test;
  const said = error ? sentenceOf(error) : data?.status === 'offline' ? data.error : '';
  // In every language, the panel names the member of the API that allows it.
  const isPrivate = said.includes('allowPrivateAddress');
  const why = isPrivate ? t('form.privateRefused', { host: hostOf(values) }) : said;
  return (
    <Stack gap="xs" align="flex-start" aria-live="polite">
      <Button
        variant="light"
        leftSection={<IconPlugConnected size={16} />}
        disabled={!isReady}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        {t('test')}
      </Button>
      {!isReady && (
        <Text size="xs" c="dimmed">
          {t('test.needs')}
        </Text>
      )}
      {data?.status === 'online' && (
        <Alert color="teal" variant="light" w="100%" p="sm">
          <Text size="sm">
            {t('test.online', { latency: format.number(data.latencyMs), version: data.coreVersion || '–' })}
          </Text>
        </Alert>
      )}
      {why !== '' && (
        <Alert color="red" variant="light" w="100%" p="sm" role="alert">
          <Text size="sm" className={classes['result']}>
            {isPrivate ? why : t('test.offline', { why })}
          </Text>
        </Alert>
      )}
      {placeOf(values.url) !== null && (
        <Text size="xs" c="dimmed" className={classes['result']}>
          <Technical>{urlOf(placeOf(values.url) ?? EMPTY)}</Technical>
        </Text>
      )}
    </Stack>
  );
}

const EMPTY = { scheme: 'https', host: '', port: 443, basePath: '/' } as const;

function bodyOf({ name, url, apiToken, remark, allowPrivateAddress }: Values) {
  const place = placeOf(url) ?? EMPTY;
  const token = apiToken.trim();
  return {
    name: name.trim(),
    remark: remark.trim(),
    allowPrivateAddress,
    ...place,
    ...(token === '' ? {} : { apiToken: token }),
  };
}
