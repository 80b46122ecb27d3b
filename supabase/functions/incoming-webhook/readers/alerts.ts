import type { CardColor, MessageCard } from '../../../../wire/messages.ts'
import type { Content } from '../../_shared/composeMessage.ts'
import { webAddress } from '../../_shared/slackMarkdown.ts'
import { objectOf, objectsOf, textOf, type Fields } from '../../_shared/payloadFields.ts'
import { bold, code, counted, firstText, line, lineOf, linked, textBlock, timeField } from './markdown.ts'

const maxAlerts = 10
const maxLabels = 12

/** Whether a payload is one of the webhooks of Alertmanager or Grafana. */
export function isAlerts(payload: Fields): boolean {
  return Array.isArray(payload['alerts']) && typeof payload['status'] === 'string' && 'groupLabels' in payload
}

/** A group of alerts of Alertmanager or Grafana: a card for each, in another colour once it is resolved. */
export function readAlerts(payload: Fields): Content {
  const alerts = objectsOf(payload['alerts'], maxAlerts)
  const total = Array.isArray(payload['alerts']) ? payload['alerts'].length : 0
  const more = total + (Number(payload['truncatedAlerts']) || 0) - alerts.length
  const labels = objectOf(payload['commonLabels'])
  const name = firstText(labels, 'alertname') || firstText(objectOf(alerts[0]?.['labels']), 'alertname')
  const isFiring = payload['status'] !== 'resolved'
  const count = alerts.filter(({ status }) => (status !== 'resolved') === isFiring).length
  const state = bold(`${isFiring ? 'Firing' : 'Resolved'}: ${counted(count, 'alert')}`)
  const text =
    total === 1 && more <= 0
      ? ''
      : [state, line(name), more > 0 ? `and ${more} more` : ''].filter(Boolean).join(' · ')
  const key = textOf(payload['groupKey'])
  return {
    text,
    cards: alerts.map((alert) => alertCard(alert, textOf(payload['externalURL']))),
    ...(key === '' ? {} : { event: { key, isEnd: !isFiring } }),
  }
}

function alertColor(isFiring: boolean, severity: string): CardColor {
  if (!isFiring) return 'green'
  if (/^(?:warn|warning|minor)$/i.test(severity)) return 'yellow'
  return /^(?:info|none|low)$/i.test(severity) ? 'blue' : 'red'
}

const LINKS: readonly [key: string, text: string][] = [
  ['dashboardURL', 'Dashboard'],
  ['panelURL', 'Panel'],
  ['silenceURL', 'Silence'],
]

function alertCard(alert: Fields, alertmanager: string): MessageCard {
  const [labels, annotations] = [objectOf(alert['labels']), objectOf(alert['annotations'])]
  const isFiring = alert['status'] !== 'resolved'
  const runbook = firstText(annotations, 'runbook_url', 'runbook')
  const links = [
    ...LINKS.map(([key, text]) => [text, textOf(alert[key])] as const),
    ['Runbook', runbook] as const,
  ]
  const shown = Object.entries(labels).filter(([key]) => key !== 'alertname')
  return {
    color: alertColor(isFiring, textOf(labels['severity'])),
    title: `${isFiring ? 'Firing' : 'Resolved'}: ${linked(firstText(labels, 'alertname') || 'Alert', textOf(alert['generatorURL']) || alertmanager)}`,
    text: [textBlock(annotations['summary']), textBlock(firstText(annotations, 'description', 'message'))]
      .filter((text, at, all) => text !== '' && all.indexOf(text) === at)
      .join('\n'),
    fields: shown
      .slice(0, maxLabels)
      .map(([key, value]) => ({ name: line(key), value: code(value), short: true })),
    links: links.flatMap(([text, address]) => {
      const url = webAddress(address)
      return url === null ? [] : [{ text: lineOf(text), url }]
    }),
    ...timeField(isFiring ? alert['startsAt'] : alert['endsAt']),
  }
}
