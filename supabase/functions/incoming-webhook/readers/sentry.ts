import type { CardColor, MessageCard } from '../../../../wire/messages.ts'
import type { Content } from '../../_shared/composeMessage.ts'
import { objectOf, textOf, type Fields } from '../../_shared/payloadFields.ts'
import { bold, code, firstText, line, linked, textBlock, timeField } from './markdown.ts'

const LEVELS: Record<string, CardColor> = {
  fatal: 'red',
  error: 'red',
  warning: 'yellow',
  info: 'blue',
  debug: 'gray',
}

function levelColor(level: unknown): CardColor {
  return LEVELS[textOf(level)] ?? 'red'
}

/**
 * A webhook of an integration of Sentry; null for resources that post nothing.
 * @param resource the header `sentry-hook-resource`
 */
export function readSentry(resource: string, payload: Fields): Content | null {
  const data = objectOf(payload['data'])
  switch (resource) {
    case 'issue':
      return readIssue(textOf(payload['action']), objectOf(data['issue']))
    case 'event_alert':
      return {
        text: `Alert: ${bold(data['triggered_rule'])}`,
        cards: [eventCard(objectOf(data['event']))],
      }
    case 'error':
      return { text: 'New error', cards: [eventCard(objectOf(data['error']))] }
    case 'metric_alert':
      return readMetric(textOf(payload['action']), data)
    case 'comment':
      return textOf(payload['action']) === 'created'
        ? {
            text: `${line(objectOf(payload['actor'])['name'])} commented on an issue of ${bold(data['project_slug'])}`,
            cards: [{ text: textBlock(data['comment']) }],
          }
        : null
    default:
      return null
  }
}

const ISSUES: Record<string, [text: string, color: CardColor | null]> = {
  created: ['New issue', null],
  unresolved: ['Issue is unresolved again', null],
  resolved: ['Resolved', 'green'],
  archived: ['Archived', 'gray'],
  ignored: ['Archived', 'gray'],
  assigned: ['Assigned', 'blue'],
}

function readIssue(action: string, issue: Fields): Content | null {
  if (!Object.hasOwn(ISSUES, action)) return null
  const [text, color] = ISSUES[action]!
  const assignee = line(objectOf(issue['assignedTo'])['name'])
  const project = firstText(objectOf(issue['project']), 'name', 'slug')
  return {
    text: [
      text,
      action === 'assigned' && assignee !== '' ? `to ${assignee}` : '',
      project === '' ? '' : `in ${bold(project)}`,
    ]
      .filter(Boolean)
      .join(' '),
    cards: [
      {
        color: color ?? levelColor(issue['level']),
        title: linked(issue['title'], firstText(issue, 'web_url', 'permalink')),
        text: code(issue['culprit']),
        footer: line(issue['shortId']),
        ...timeField(issue['lastSeen'] ?? issue['firstSeen']),
      },
    ],
  }
}

function eventCard(event: Fields): MessageCard {
  return {
    color: levelColor(event['level']),
    title: linked(event['title'], firstText(event, 'web_url', 'issue_url')),
    text: code(firstText(event, 'culprit', 'location')),
    fields: ['environment', 'release'].flatMap((key) => {
      const value = code(event[key])
      return value === ''
        ? []
        : [{ name: key === 'release' ? 'Release' : 'Environment', value, short: true as const }]
    }),
    ...timeField(event['datetime']),
  }
}

function readMetric(action: string, data: Fields): Content | null {
  const colors: Record<string, CardColor> = { critical: 'red', warning: 'yellow', resolved: 'green' }
  if (!Object.hasOwn(colors, action)) return null
  return {
    text: '',
    cards: [
      {
        color: colors[action]!,
        title: linked(data['description_title'], data['web_url']),
        text: textBlock(data['description_text']),
      },
    ],
  }
}
