import { expect, it } from 'vitest'
import { mentionsOf } from '../../wire/body/mentionsOf.ts'
import { createRandom, testSeed } from '../../tests/support/random.ts'
import { composeMessage, type Webhook } from '../functions/_shared/composeMessage.ts'
import { PayloadError } from '../functions/_shared/payloadFields.ts'
import { readMessage } from '../functions/incoming-webhook/readMessage.ts'
import { WEBHOOK_MESSAGES } from './support/webhookMessages.ts'
import { WEBHOOK_REQUESTS, type WebhookRequest } from './support/webhookPayloads.ts'

const ANN = '11111111-1111-4111-8111-111111111111'

const read = (payload: unknown, headers: WebhookRequest['headers'], webhook?: Webhook) => {
  const content = readMessage(JSON.stringify(payload), new Headers(headers))
  return content && composeMessage(content, webhook)
}

it.each(WEBHOOK_REQUESTS.map((request, at) => ({ ...request, at })))(
  'reads $title',
  ({ headers, payload, at }) => {
    const message = read(payload, headers)
    const colors = message?.cards?.items.map(({ color }) => color ?? 'none').join(', ') ?? ''
    expect([colors, ...(message?.body.split('\n') ?? [])]).toEqual(WEBHOOK_MESSAGES[at])
  },
)

it('reads a form, as GitHub sends it', () => {
  const payload = { repository: { full_name: 'harbour/quay' }, sender: { login: 'ann' } }
  const headers = new Headers({
    'x-github-event': 'ping',
    'content-type': 'application/x-www-form-urlencoded',
  })
  const form = new URLSearchParams({ payload: JSON.stringify(payload) })
  expect(readMessage(form.toString(), headers)?.text).toBe('harbour/quay · ann sends its events here')
})

it.each([
  [
    'x-github-event',
    'issues',
    { action: 'labeled', issue: { title: 'a' }, repository: { full_name: 'a/b' } },
  ],
  ['x-github-event', 'push', { ref: 'refs/heads/a', commits: [], repository: { full_name: 'a/b' } }],
  ['x-github-event', 'watch', { action: 'started' }],
  ['x-gitlab-event', 'Pipeline Hook', { object_kind: 'pipeline', object_attributes: { status: 'running' } }],
  ['x-gitlab-event', 'Note Hook', { object_kind: 'note', object_attributes: { note: 'a', internal: true } }],
  ['sentry-hook-resource', 'installation', { action: 'created', data: {} }],
])('posts nothing for an event of the header %s that changes nothing: %s', (header, event, payload) => {
  expect(read(payload, { [header]: event })).toBeNull()
})

it('shows payloads without a known header as Slack or Discord do', () => {
  expect(read({ text: '*a*' }, {})?.body).toBe('**a**')
  expect(read({ content: '**a** <@123456789>' }, {})?.body).toBe('**a** @123456789')
  expect(read({ text: '*a*', content: 'b' }, {})?.body).toBe('**a**')
  expect(() => read({ content: '' }, {})).toThrow(new PayloadError('no_text'))
  expect(() => read({ msg: 'a' }, {})).toThrow(new PayloadError('no_text'))
})

const webhook: Webhook = {
  name: 'Monitor',
  emoji: '🚨',
  notifies_everyone: true,
  people: [{ id: ANN, name: 'Ann Bell' }],
}

it.each([
  ['Slack', { text: 'Ebb, <!channel> <!here> `@here`' }, 'Ebb, <!channel> <!here> `@here`'],
  ['Slack', { text: '<!everyone> @here, mail@here.example' }, '<!channel> <!here>, mail@here.example'],
  ['Slack', { attachments: [{ text: '<!here> ebb' }] }, '\n> <!here> ebb'],
  ['Slack', { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '<!here>' } }] }, '<!here>'],
  ['Slack', { text: '<@Ann Bell> <@U024|Ann Bell> @ann bell, @Bea' }, `<@${ANN}> <@${ANN}> <@${ANN}>, @Bea`],
  ['Discord', { content: '@everyone @here @Ann Bell' }, `<!channel> <!here> <@${ANN}>`],
  ['Discord', { content: 'a', embeds: [{ description: '@everyone' }] }, 'a\n\n> @everyone'],
])('mentions people where a payload of %s does, case %#', (_sender, payload, body) => {
  const message = read(payload, {}, webhook)
  expect(message).toMatchObject({ body: `**Monitor**\n${body}`, icon: '🚨' })
  const off = read(payload, {}, { ...webhook, notifies_everyone: false, people: [] })
  expect(mentionsOf(off!.body)).toEqual([])
  expect(mentionsOf(JSON.stringify(off!.cards))).toEqual([])
})

it('mentions nobody by the text of an issue', () => {
  const issue = { title: '@here @Ann Bell', body: '@channel <@Ann Bell>', number: 1 }
  const payload = { action: 'opened', issue, repository: { full_name: 'a/b' }, sender: { login: 'eve' } }
  const message = read(payload, { 'x-github-event': 'issues' }, webhook)
  expect(message?.body).toContain('@here')
  expect(mentionsOf(message!.body)).toEqual([])
})

it('shows the name and the emoji of a payload in place of those of the webhook', () => {
  const payload = { username: 'cron', icon_emoji: ':anchor:', text: 'Done' }
  expect(read(payload, {}, webhook)).toMatchObject({
    sender: { name: 'cron', end: 9 },
    icon: '⚓',
    body: '**cron**\nDone',
  })
  expect(read({ ...payload, username: '', icon_emoji: ':unknown:' }, {}, webhook)).toMatchObject({
    sender: { name: 'Monitor' },
    icon: '🚨',
  })
})

it('shows ten alerts, and the number of further ones', () => {
  const alert = { status: 'firing', labels: { alertname: 'Down' }, annotations: {} }
  const message = read(
    {
      status: 'firing',
      groupLabels: {},
      alerts: Array.from({ length: 25 }, () => alert),
      truncatedAlerts: 5,
    },
    {},
  )
  expect(message?.cards?.items).toHaveLength(10)
  expect(message?.body.split('\n')[0]).toBe('**Firing: 10 alerts** · Down · and 20 more')
})

it('mentions nobody by any payload, and fails only by its own errors', () => {
  const random = createRandom(testSeed)
  const junk = () =>
    random.pick<unknown>([
      null,
      0,
      -1,
      1e308,
      true,
      '',
      '<!here>',
      '`<!channel>`',
      '\\<!here>',
      '```\n<!here>',
      '**\\*\\<!here>**',
      'a'.repeat(30_000),
      '| '.repeat(5_000),
      '*<!here>_'.repeat(500),
      'javascript:alert(1)',
      'https://a.example/<!here>',
      [],
      {},
      [[{}]],
      '0001-01-01T00:00:00Z',
      '+275760-09-13T00:00:00Z',
    ])
  const change = (value: unknown): unknown => {
    if (random.below(12) === 0) return junk()
    if (Array.isArray(value))
      return value.flatMap((one) =>
        Array.from({ length: random.below(12) === 0 ? 30 : 1 }, () => change(one)),
      )
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(one)]))
    return value
  }
  let shown = 0
  const tries = 1_000 * Number(process.env['LINNET_RUNS'] ?? 1)
  for (let i = 0; i < tries; i++) {
    const { headers, payload } = WEBHOOK_REQUESTS[random.below(WEBHOOK_REQUESTS.length)]!
    const changed = change(payload)
    const report = () => `seed ${testSeed}: ${JSON.stringify(changed).slice(0, 2_000)}`
    try {
      const message = read(changed, headers)
      if (!message) continue
      shown++
      const texts = [
        message.body,
        ...(message.cards?.items ?? []).flatMap(({ links: _links, ...card }) => textsOf(card)),
      ]
      if (texts.some((text) => mentionsOf(text).length > 0)) throw new Error('mention')
      if ([...message.body].length > 20_000) throw new Error('length')
      if (JSON.stringify(message.cards).length > 16_000) throw new Error('size')
    } catch (error) {
      if (!(error instanceof PayloadError)) throw new Error(report(), { cause: error })
    }
  }
  expect(shown).toBeGreaterThan(tries / 4)
})

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}
