import { Alert, Anchor, Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMay } from '../../../api/access';
import { api } from '../../../api/client';
import type { RecountPreview, WrittenRecountRule } from '../../../api/contract.generated';
import { clientInbounds } from '../../../api/queries';
import { inboundName } from '../../../model/clients';
import { useFormat } from '../../../ui/display/format';
import { Page } from '../../../ui/display/Page';
import { sentenceOf } from '../../../ui/feedback/toast';
import { Refusal } from '../../../ui/form/Refusal';
import { SegmentedControl } from '../../../ui/form/SegmentedControl';
import { useFilters } from '../../../ui/table/filters';
import { ApplyDialog } from './ApplyDialog';
import { Differences } from './Differences';
import classes from './Recount.module.css';
import { RuleForm } from './RuleForm';
import { draftsOf, emptyRule, type RuleDraft, rulesIn, writtenOf, wrongField } from './rules';

const PAGE = 100;
const DEFAULTS = { scope: 'all', client: '', inbound: '' } as const;
const SCOPES = ['all', 'inbound', 'client'] as const;

/** Whose traffic is counted again, under which rules. */
interface Asked {
  readonly rules: readonly WrittenRecountRule[];
  readonly client?: string;
  readonly inbound?: number;
  readonly all?: boolean;
}

/** `#/audit/recount`: what clients would have used under other rules, and their counters set to that. */
export function Recount() {
  const { t } = useTranslation('audit');
  const format = useFormat();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [applied, setApplied] = useState(0);
  const preview = usePreview();
  const submit = (next: Asked): void => {
    setAsked(next);
    setApplied(0);
    preview.first.mutate(next);
  };
  const { data } = preview;
  return (
    <Page title={t('recount.title')} summary={t('recount.summary')} back={{ to: '/audit', label: t('title') }}>
      <Question isBusy={preview.first.isPending} onSubmit={submit} onChange={preview.clear} />
      <Refusal text={preview.first.error ? sentenceOf(preview.first.error) : ''} />
      {applied > 0 && (
        <Alert color="teal" role="status">
          {t('recount.applied')}{' '}
          <Anchor component={Link} to={`/audit/${applied}`} size="sm">
            {t('recount.event', { position: format.number(applied) })}
          </Anchor>
        </Alert>
      )}
      {data && asked && (
        <Differences
          preview={data}
          more={data.changes.length < data.clients ? () => preview.more.mutate(asked) : null}
          isBusy={preview.more.isPending}
          onApply={() => setOpen(true)}
        />
      )}
      {isOpen && data && asked && (
        <ApplyDialog
          request={{ ...asked, position: data.position }}
          clients={data.clients}
          onClose={() => setOpen(false)}
          onApplied={(event) => {
            setOpen(false);
            setApplied(event);
            preview.clear();
          }}
        />
      )}
    </Page>
  );
}

/** The answer to a question, and more of its clients. */
function usePreview() {
  const [data, setData] = useState<RecountPreview | null>(null);
  const ask = async (body: Asked & { readonly position?: number; readonly skip?: number }): Promise<RecountPreview> =>
    (await api.post('/panel/api/audit/recount/preview', { body: { ...body, limit: PAGE } })).obj;
  const first = useMutation({ mutationFn: (asked: Asked) => ask(asked), onSuccess: setData });
  const more = useMutation({
    mutationFn: (asked: Asked) => ask({ ...asked, position: data?.position ?? 0, skip: data?.changes.length ?? 0 }),
    onSuccess: ({ changes }) => setData((known) => known && { ...known, changes: [...known.changes, ...changes] }),
  });
  const clear = (): void => {
    setData(null);
    first.reset();
  };
  return { data: first.isPending ? null : data, first, more, clear };
}

interface QuestionProps {
  readonly isBusy: boolean;
  readonly onSubmit: (asked: Asked) => void;
  /** What was asked before is no longer what the form has. */
  readonly onChange: () => void;
}

function Question({ isBusy, onSubmit, onChange }: QuestionProps) {
  const { t } = useTranslation('audit');
  const [chosen, setChosen] = useFilters<keyof typeof DEFAULTS>(DEFAULTS);
  const [isChecked, setChecked] = useState(false);
  const form = useRules();
  const missing = chosen.scope !== 'all' && chosen[chosen.scope as 'client' | 'inbound'].trim() === '';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setChecked(true);
    if (missing || form.rules === null) return;
    const { rules } = form;
    if (chosen.scope === 'client') onSubmit({ rules, client: chosen.client.trim() });
    else onSubmit(chosen.scope === 'inbound' ? { rules, inbound: Number(chosen.inbound) } : { rules, all: true });
  };
  return (
    <form onSubmit={submit} onChange={onChange} className={classes['form']} noValidate>
      <Scope chosen={chosen} onChange={setChosen} error={isChecked && missing ? t('recount.wrong.scope') : undefined} />
      <div className={classes['tabs']}>
        <strong id="recount-rules">{t('recount.rules')}</strong>
        <SegmentedControl
          size="xs"
          aria-labelledby="recount-rules"
          value={form.view}
          onChange={(view) => form.show(view as 'form' | 'json')}
          data={[
            { value: 'form', label: t('recount.form') },
            { value: 'json', label: 'JSON' },
          ]}
        />
      </div>
      {form.view === 'json' ? (
        <Textarea
          label={t('recount.json')}
          description={t('recount.jsonHelp')}
          error={isChecked && form.rules === null ? t('recount.wrong.json') : form.isOther && t('recount.noForm')}
          classNames={{ input: 'technical' }}
          dir="ltr"
          rows={8}
          spellCheck={false}
          value={form.json}
          onChange={({ currentTarget }) => form.setJson(currentTarget.value)}
        />
      ) : (
        <RuleForm
          rules={form.drafts}
          isChecked={isChecked}
          onChange={(drafts) => {
            form.setDrafts(drafts);
            onChange();
          }}
        />
      )}
      <Button type="submit" loading={isBusy} style={{ justifySelf: 'start' }}>
        {t('recount.preview')}
      </Button>
    </form>
  );
}

/** The rules as a form or as JSON. */
function useRules() {
  const [view, setView] = useState<'form' | 'json'>('form');
  const [drafts, setDrafts] = useState<readonly RuleDraft[]>([emptyRule(0, 'node')]);
  const [json, setJson] = useState('');
  const [isOther, setOther] = useState(false);
  const isComplete = drafts.every((draft) => wrongField(draft) === null);
  const fromForm = isComplete ? drafts.map(writtenOf) : null;
  const show = (next: 'form' | 'json'): void => {
    if (next === 'json') setJson(fromForm ? JSON.stringify(fromForm, null, 2) : '[\n  { "count": 0 }\n]');
    const parsed = next === 'form' ? draftsOf(rulesIn(json) ?? []) : null;
    setOther(next === 'form' && !parsed?.length);
    if (next === 'form' && !parsed?.length) return;
    if (parsed) setDrafts(parsed);
    setView(next);
  };
  const typed = (text: string): void => {
    setOther(false);
    setJson(text);
  };
  const rules = view === 'form' ? fromForm : rulesIn(json);
  return { view, show, drafts, setDrafts, json, setJson: typed, rules, isOther };
}

type Chosen = Readonly<Record<keyof typeof DEFAULTS, string>>;
interface ScopeProps {
  readonly chosen: Chosen;
  readonly onChange: (changes: Partial<Chosen>) => void;
  readonly error: string | undefined;
}

/** Whose traffic is counted again. */
function Scope({ chosen: { scope, client, inbound }, onChange, error }: ScopeProps) {
  const { t } = useTranslation('audit');
  const { data: inbounds = [] } = useQuery({ ...clientInbounds, enabled: useMay()('/panel/api/clients/inbounds') });
  return (
    <div className={classes['scope']}>
      <NativeSelect
        label={t('recount.scope')}
        value={scope}
        onChange={({ currentTarget }) => onChange({ scope: currentTarget.value })}
        data={SCOPES.map((value) => ({ value, label: t(`recount.scope.${value}`) }))}
      />
      {scope === 'inbound' && (
        <NativeSelect
          label={t('filter.inbound')}
          value={inbound}
          error={error}
          onChange={({ currentTarget }) => onChange({ inbound: currentTarget.value })}
          data={[
            { value: '', label: t('moment.choose') },
            ...inbounds.map((one) => ({ value: String(one.id), label: `${inboundName(one)} · ${one.port}` })),
          ]}
        />
      )}
      {scope === 'client' && (
        <TextInput
          type="search"
          label={t('recount.email')}
          value={client}
          error={error}
          onChange={({ currentTarget }) => onChange({ client: currentTarget.value })}
        />
      )}
    </div>
  );
}
