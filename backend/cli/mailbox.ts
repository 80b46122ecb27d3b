import { mailboxFile, maxMails, readMailbox, type MailboxMessage } from '../auth/mail/mailbox/mailbox.ts'
import { escapeControlCharacters } from '../logging/logger.ts'
import { renderMoment } from '../restore/moments.ts'
import { UsageError, defineCommand } from './Command.ts'
import { projectOptions, requireRunningServer } from './findProject.ts'

const defaultCount = 5

/** Renders a mail: its time, address and subject, and below them what signs in. */
function renderMail({ to, subject, text, code, link, sentAt }: MailboxMessage): string {
  const rows = [
    ...(code === null ? [] : [`Code: ${code}`]),
    ...(link === null ? [] : [`Link: ${link}`]),
    // Mails without code and link, such as those about a changed password.
    ...(code === null && link === null ? text.split('\n') : []),
  ]
  return [`${renderMoment(new Date(sentAt))}  To ${to}: ${subject}`, ...rows.map((row) => `  ${row}`)]
    .map(escapeControlCharacters)
    .join('\n')
}

/**
 * `linnet mailbox`: reads the file of the mailbox, which only the user of the server can read. The mailbox page needs a browser on
 * the machine of the server.
 */
export const mailbox = defineCommand({
  name: 'mailbox',
  group: 'Server',
  summary: 'Print the last sign-in codes, if no mail server is set up',
  help: `Without a mail server, mails and text messages are stored in the mailbox of the server. This
command prints the last ones, the newest at the end. Who has a code can sign in with it: pass each
code on only to the person whose address the mail has.`,
  options: {
    lines: { value: 'N', short: 'n', help: `number of mails to print (default: ${defaultCount})` },
    ...projectOptions,
  },
  async run({ dataDir, options: { lines } }) {
    const count = lines === undefined ? defaultCount : Number(lines)
    if (!Number.isSafeInteger(count) || count < 1 || count > maxMails)
      throw new UsageError(`--lines must be a whole number from 1 to ${maxMails}, not "${lines}".`)
    if (requireRunningServer(dataDir).mailbox === null)
      throw new UsageError('This server sends its mails, so it has no mailbox.')
    const file = mailboxFile(dataDir)
    const stored = readMailbox(file)
    if (stored === null) throw new UsageError(`The mailbox in ${file} is damaged. Restart the server.`)
    const { messages } = stored
    if (messages.length === 0)
      process.stderr.write('The mailbox is empty. Request a code in the application first.\n')
    for (const message of messages.slice(0, count).toReversed())
      process.stdout.write(`${renderMail(message)}\n`)
    return 0
  },
})
