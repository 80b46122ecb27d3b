import type { CardColor } from '../../../../wire/messages.ts'
import type { Content } from '../../_shared/composeMessage.ts'
import { objectOf, textOf, type Fields } from '../../_shared/payloadFields.ts'
import { firstText, line, linked, textBlock, timeField } from './markdown.ts'

/** Whether a payload has the form of Uptime Kuma's webhooks. */
export function isUptimeKuma(payload: Fields): boolean {
  return 'heartbeat' in payload && 'monitor' in payload && typeof payload['msg'] === 'string'
}

const STATES: readonly [text: string, color: CardColor][] = [
  ['Down', 'red'],
  ['Up', 'green'],
  ['Pending', 'yellow'],
  ['Maintenance', 'blue'],
]

/** A change of a monitor, or a test of the notification. */
export function readUptimeKuma(payload: Fields): Content {
  const [heartbeat, monitor] = [objectOf(payload['heartbeat']), objectOf(payload['monitor'])]
  const [state, color] = STATES[Number(heartbeat['status'] ?? NaN)] ?? []
  const name = textOf(monitor['name'])
  if (state === undefined || color === undefined || name === '')
    return { text: textBlock(payload['msg']), cards: [] }
  const address = firstText(monitor, 'url')
  const isOwnAddress = address === 'https://' || address === 'http://'
  const time = textOf(heartbeat['time']).replace(' ', 'T')
  return {
    text: '',
    cards: [
      {
        color,
        title: `${state}: ${linked(name, isOwnAddress ? '' : address)}`,
        text: textBlock(heartbeat['msg']),
        fields: [
          ...(typeof heartbeat['ping'] === 'number'
            ? [{ name: 'Response time', value: `${Math.round(heartbeat['ping'])} ms`, short: true as const }]
            : []),
          ...(textOf(monitor['hostname']) === ''
            ? []
            : [{ name: 'Host', value: line(monitor['hostname']), short: true as const }]),
        ],
        ...timeField(/[Z+]/.test(time) ? time : `${time}Z`),
      },
    ],
  }
}
