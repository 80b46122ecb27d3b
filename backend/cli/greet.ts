import { isLoopbackHost } from '../runtime/clientAddress/isLocalRequest.ts'
import type { RunningServer } from '../startup/runningServer.ts'

/** Whether browsers disable service workers, push and PKCE's S256 at this URL, as they do without https outside of localhost. */
function isInsecureRemoteUrl(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopbackHost(hostname)
}

type Row = [name: string, value: string]

/** The setup link for another device, without the mailbox, which opens on this machine only. */
function renderRemoteSetupLink(setupUrl: string, origin: string): string {
  const { pathname, hash } = new URL(setupUrl)
  const values = new URLSearchParams(hash.slice(1))
  values.delete('mailbox')
  return `${new URL(pathname, origin).href}#${values}`
}

/** Names and values in two columns; an empty name continues the value above. */
export function renderColumns(rows: Row[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)
}

/** Renders what to open next; for another project also the public key. */
export function renderGreeting(
  running: RunningServer,
  o: {
    links: { name: string; url: string }[]
    isOwnSchema: boolean
    /** The default port, if it was in use and another one was chosen. */
    usualPort: number | null
    /** Whether the data are a restored copy that nobody has confirmed. */
    isRestored: boolean
    /** The words of a command with the name of the program, for this installation. */
    commandLine: (words: string) => string
  },
): string {
  const rows: Row[] = []
  if (running.networkUrl !== null)
    rows.push(['In your network', running.networkUrl], ['', 'Other devices open Linnet at this address.'])
  if (running.setupUrl !== null)
    rows.push(
      ['Setup link', running.setupUrl],
      ['', 'The first person who opens this link becomes the owner.'],
      ...(running.networkUrl === null
        ? []
        : [
            [
              '',
              `On another device: ${renderRemoteSetupLink(running.setupUrl, running.networkUrl)}`,
            ] satisfies Row,
          ]),
    )
  for (const { name, url } of o.links) rows.push([`Sign in as ${name}`, url])
  if (running.mailbox !== null)
    rows.push(
      ['Mailbox', running.mailbox],
      [
        '',
        o.isRestored
          ? 'Mails and text messages arrive here, because a restored copy does not send them.'
          : 'Mails and text messages arrive here, since no mail server is configured.',
      ],
      ['', `Without a browser on this machine: ${o.commandLine('mailbox')}`],
    )
  rows.push(['Administration', running.dashboard])
  if (o.isRestored)
    rows.push(
      ['Restored copy', o.commandLine('resume')],
      [
        '',
        'Run this command once the original server is gone. Until then, this copy sends nothing and makes no backups.',
      ],
    )
  if (!o.isOwnSchema)
    rows.push(
      ['Public key', running.publishableKey],
      ['', `"${o.commandLine('status -o env')}" prints the other keys.`],
    )
  const lines = ['', `Linnet is ready at ${running.url}`]
  if (o.usualPort !== null)
    lines.push(`Another program uses port ${o.usualPort}, so Linnet has chosen this one.`)
  lines.push('', ...renderColumns(rows), '')
  if (isInsecureRemoteUrl(running.networkUrl ?? running.url)) {
    lines.push(
      'Other devices use plain http: browsers offer no notifications, offline use, passkeys and voice messages',
      'there. docs/network.md describes how to add a certificate.',
      '',
    )
  }
  lines.push(`Press Ctrl-C to stop. "${o.commandLine('logs -f')}" shows requests and all other events.`, '')
  return `${lines.join('\n')}\n`
}
