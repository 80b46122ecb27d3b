import { findingTexts, type CheckLanguage, type FindingText } from './findingTexts.ts'
import type { CheckCode, CheckValues, Finding, JobArea } from './serverChecks.ts'

/** What a finding means, in the language of the reader. */
export interface CheckDescription {
  /** What was checked: "Disk space". */
  title: string
  /** What is right or wrong: full sentences. */
  text: string
  /** What to do. Empty if there is nothing to do. */
  advice: string
  /** The advice without `commandAdvice`. */
  adviceForOwners: string
}

/** Describes a finding in the language of the reader. */
export function describeCheck(finding: Finding, language: CheckLanguage): CheckDescription {
  const { text, advice = '', commandAdvice = '' } = renderText(finding, language)
  return {
    title: titleOf(finding, language),
    text,
    advice: [advice, commandAdvice].filter(Boolean).join(' '),
    adviceForOwners: advice,
  }
}

function renderText<Code extends CheckCode>(
  { code, values }: { code: Code; values: CheckValues[Code] },
  language: CheckLanguage,
): FindingText {
  return findingTexts[code](language, values)
}

function titleOf(finding: Finding, { i18n }: CheckLanguage): string {
  const subject = finding.code.slice(0, finding.code.indexOf('.')) as SubjectOf<CheckCode>
  switch (subject) {
    case 'server':
      return i18n._('Server')
    case 'version':
      return i18n._('Version')
    case 'disk':
      return i18n._('Disk space')
    case 'permissions':
      return i18n._('Permissions')
    case 'settings':
      return i18n._('Settings')
    case 'secrets':
      return i18n._('Keys')
    case 'leftovers':
      return i18n._('Unfinished work')
    case 'port':
      return i18n._('Port')
    case 'clock':
      return i18n._('Clock')
    case 'postgres':
      return i18n._('PostgreSQL')
    case 'realtime':
      return i18n._('Live updates')
    case 'broadcasts':
      return i18n._('Broadcasts')
    case 'storage':
      return i18n._('Stored files')
    case 'mail':
      return i18n._('Mail')
    case 'push':
      return i18n._('Push notifications')
    case 'dns':
      return i18n._('DNS')
    case 'address':
      return i18n._('Public address')
    case 'certificate':
      return i18n._('Certificate')
    case 'backups':
      return i18n._('Backups')
    case 'outgoing':
      return i18n._('Restore')
    case 'jobs':
      return 'area' in finding.values ? areaOf(finding.values.area, { i18n }) : i18n._('Queue')
    case 'schedule':
      return i18n._('Scheduled jobs')
    case 'database':
      return i18n._('Database')
    case 'files':
      return i18n._('File storage')
    case 'webhooks':
      return i18n._('Webhooks and slash commands')
  }
}

type SubjectOf<Code extends string> = Code extends `${infer Subject}.${string}` ? Subject : never

function areaOf(area: JobArea, { i18n }: Pick<CheckLanguage, 'i18n'>): string {
  switch (area) {
    case 'mail':
      return i18n._('Mail')
    case 'push':
      return i18n._('Push notifications')
    case 'scheduled':
      return i18n._('Scheduled messages and reminders')
    case 'content':
      return i18n._('Link previews and file text')
    case 'webhooks':
      return i18n._('Webhooks and slash commands')
  }
}
