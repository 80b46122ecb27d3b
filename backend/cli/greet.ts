import { isLoopbackHost } from '../runtime/clientAddress/isLocalRequest.ts'
import type { RunningServer } from '../startup/runningServer.ts'

/** Whether browsers disable service workers, push and PKCE's S256 at this URL, as they do without https outside of localhost. */
function isInsecureRemoteUrl(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopbackHost(hostname)
}

/** Prints what to open next; for another project also the public key. */
export function printGreeting(
  running: RunningServer,
  links: { name: string; url: string }[],
  isOwnSchema: boolean,
): void {
  const lines = [`Linnet is ready at ${running.url}`, `Administration page: ${running.dashboard}`]
  if (!isOwnSchema)
    lines.push(`Public key: ${running.publishableKey}`, 'linnet status -o env prints the other keys.')
  if (running.setupUrl !== null)
    lines.push('', `Setup link: ${running.setupUrl}`, 'Whoever opens this link first becomes the owner.')
  for (const { name, url } of links) lines.push(`Sign in as ${name}: ${url}`)
  if (running.mailbox !== null)
    lines.push(
      '',
      `Emails and text messages are not sent, as no service is configured. Read them here: ${running.mailbox}`,
    )
  if (isInsecureRemoteUrl(running.url)) {
    lines.push(
      '',
      'This URL uses plain http outside of localhost: browsers disable service workers, push and part of',
      'sign-in there. docs/network.md describes how to add a certificate.',
    )
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}
