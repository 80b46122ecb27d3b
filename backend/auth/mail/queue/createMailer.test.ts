import { expect, it } from 'vitest'
import { createLogger } from '../../../logging/logger.ts'
import { createMailer, type SentMail } from './createMailer.ts'

const log = createLogger({ format: 'json', minLevel: 'error', write: () => {} })

it('adds a mail to the mailbox, and calls onMail, after the commit', async () => {
  const added: string[] = []
  const reported: SentMail[] = []
  const actions: (() => void)[] = []
  const mailer = createMailer({
    templates: () => ({
      subject: 'Hi',
      html: '<p>Hi</p>',
      text: 'Hi',
      link: 'https://x.example',
      code: '123456',
    }),
    route: null,
    mailbox: { token: '', messages: () => [], add: (to) => void added.push(to) },
    onMail: (mail) => reported.push(mail),
    log,
  })
  const mail = { kind: 'magic_link', to: 'bea@x.example', values: {}, expiresInMs: 1000 } as const
  await mailer.queue({ afterCommit: (action: () => void) => actions.push(action) } as never, mail)
  expect(added).toEqual([])
  for (const action of actions) action()
  expect(added).toEqual(['bea@x.example'])
  expect(reported).toEqual([
    { to: 'bea@x.example', subject: 'Hi', link: 'https://x.example', code: '123456' },
  ])
  await mailer.close()
})

it('a restored copy adds mails to the mailbox although there is a mail server, until the restore is confirmed', async () => {
  let isPaused = true
  const added: string[] = []
  const queued: string[] = []
  const claims: string[] = []
  const mailer = createMailer({
    templates: () => ({ subject: 'Hi', html: '<p>Hi</p>', text: 'Hi', link: null, code: null }),
    route: {
      queue: {
        add: async (_: unknown, { to }: { to: string }) => void queued.push(to),
        claim: async () => {
          claims.push('claim')
          return null
        },
        sweep: async () => [],
        msUntilDue: async () => null,
      } as never,
      send: async () => ({ outcome: 'accepted' }) as never,
    },
    mailbox: { token: '', messages: () => [], add: (to) => void added.push(to) },
    isPaused: () => isPaused,
    log,
  })
  const queue = async (to: string): Promise<void> => {
    const tx = { afterCommit: (action: () => void) => action() } as never
    await mailer.queue(tx, { kind: 'magic_link', to, values: {}, expiresInMs: 1000 })
  }
  await queue('bea@x.example')
  expect({ added, queued, claims }).toEqual({ added: ['bea@x.example'], queued: [], claims: [] })
  isPaused = false
  await queue('cem@x.example')
  expect({ added, queued }).toEqual({ added: ['bea@x.example'], queued: ['cem@x.example'] })
  await mailer.close()
})
