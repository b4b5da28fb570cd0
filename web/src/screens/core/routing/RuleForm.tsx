import { useTranslation } from 'react-i18next';
import type { JsonObject } from '../../../model/json';
import type { FieldDefinition } from '../Fields';
import { PartForm, type Problem } from '../PartForm';
import { tagsAt, textAt } from '../template';

interface Props {
  readonly rule: JsonObject;
  readonly template: JsonObject;
  readonly inboundTags: readonly string[];
  readonly title: string;
  readonly onApply: (rule: JsonObject) => void;
  readonly onClose: () => void;
}

/** Edits one routing rule. */
export function RuleForm({ rule, template, inboundTags, ...rest }: Props) {
  const { t } = useTranslation('core');
  const tags = [...inboundTags, ...tagsAt(template, 'inbounds')];
  const fields: readonly FieldDefinition[] = [
    { path: 'ruleTag', label: t('field.name'), kind: 'text' },
    { path: 'domain', label: t('field.domain'), help: t('help.domain'), kind: 'list' },
    { path: 'ip', label: t('field.ip'), help: t('help.ip'), kind: 'list' },
    { path: 'port', label: t('field.ports'), help: '53,443,1000-2000', kind: 'text' },
    { path: 'network', label: t('field.network'), kind: 'select', options: ['', 'tcp', 'udp', 'tcp,udp'] },
    {
      path: 'protocol',
      label: t('field.protocols'),
      kind: 'list',
      options: ['http', 'tls', 'quic', 'bittorrent'],
    },
    { path: 'inboundTag', label: t('field.inbounds'), kind: 'list', options: [...new Set(tags)] },
    { path: 'user', label: t('field.clients'), kind: 'list' },
    { path: 'sourceIP', label: t('field.sourceIp'), kind: 'list' },
    {
      path: 'outboundTag',
      label: t('field.outbound'),
      kind: 'select',
      options: ['', ...tagsAt(template, 'outbounds')],
    },
    {
      path: 'balancerTag',
      label: t('field.balancer'),
      kind: 'select',
      options: ['', ...tagsAt(template, 'routing.balancers')],
    },
  ];
  const check = (part: JsonObject): Problem | null => {
    if (!hasCondition(part)) return { path: 'domain', text: t('rule.noCondition') };
    const hasTarget = textAt(part, 'outboundTag') !== '' || textAt(part, 'balancerTag') !== '';
    return hasTarget ? null : { path: 'outboundTag', text: t('rule.noTarget') };
  };
  return <PartForm start={rule} fieldsOf={() => fields} check={check} {...rest} />;
}

/** Members of a rule that are no conditions. */
const NO_CONDITIONS: ReadonlySet<string> = new Set(['type', 'ruleTag', 'outboundTag', 'balancerTag', 'domainMatcher']);

/** Whether the rule names what it applies to: the core rejects a rule without a condition. */
function hasCondition(rule: JsonObject): boolean {
  return Object.entries(rule).some(([name, value]) => {
    if (NO_CONDITIONS.has(name) || value === null || value === '') return false;
    return typeof value !== 'object' || Object.keys(value).length > 0;
  });
}
