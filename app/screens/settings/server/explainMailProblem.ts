import { i18n } from '@lingui/core'

/** Responses of mail servers, and errors of connections to them. The first that matches is the reason. */
const problems: [RegExp, () => string][] = [
  [
    /ENOTFOUND|EAI_AGAIN|getaddrinfo/,
    () => i18n._('There’s no server with this name. Check the mail server’s name.'),
  ],
  [
    /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ECONNRESET|Connection closed/,
    () => i18n._('The mail server accepts no connections there. Check its name and port.'),
  ],
  [
    /timeout|timed out|ETIMEDOUT|greeting never received/i,
    () => i18n._('The mail server didn’t respond in time. Check its name and port.'),
  ],
  [
    /wrong version number|packet length too long|unexpected eof|STARTTLS/i,
    () =>
      i18n._('The mail server uses another kind of encryption at this port. Ports are usually 465 or 587.'),
  ],
  [
    /certificate|altnames|CERT_/i,
    () => i18n._('The mail server’s certificate isn’t valid for this name. Check the mail server’s name.'),
  ],
  [
    /\b(535|534|538)\b|EAUTH|Invalid login/i,
    () => i18n._('The mail server doesn’t accept the user name or password.'),
  ],
  [/\b530\b|auth\w* required/i, () => i18n._('The mail server requires a user name and password.')],
  [
    /relay|not permitted|\b5\.7\.\d+\b|sender .*(rejected|denied|not owned)/i,
    () =>
      i18n._(
        'The mail server doesn’t send emails from this sender address. Check the address and the user name.',
      ),
  ],
  [/\b(550|551|553)\b/, () => i18n._('The mail server refuses the sender’s or the recipient’s address.')],
  [
    /\b552\b|quota/i,
    () => i18n._('Your mailbox is full. Delete emails in it, then send the test email again.'),
  ],
  [/\b(421|450|451|452)\b/, () => i18n._('The mail server is busy or limits emails. Try again later.')],
]

/** What a response of a mail server means, in the language of the reader; null for one that is not known. */
export function explainMailProblem(problem: string): string | null {
  return problems.find(([pattern]) => pattern.test(problem))?.[1]() ?? null
}
