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
