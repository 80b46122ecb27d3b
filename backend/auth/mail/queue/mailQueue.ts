import type pg from 'pg'
import type { Pool } from '../../../postgres/connections/pool.ts'
import type { RenderedMail } from '../templates/mailTemplates.ts'

/** A mail as it is kept until it has left. */
export interface QueuedMail {
  id: string
  kind: string
  recipient: string
  subject: string
  html: string
  plain: string
  /** With this one. */
  attempts: number
  claim: string
}

/** A mail that was given up. */
export interface LostMail {
  id: string
  kind: string
  /** Whether a mail server may have taken it, of which it never told us. */
  mayHaveLeft: boolean
}

/** How long a claim lasts that isn't renewed, in seconds: as long a mail of a killed house waits for another. */
const claimSeconds = 30

/**
 * Mails in linnet_platform.mails. Whoever claims one sends it, and asks again before the last step whether it still
 * is theirs: so two houses on one database never send one twice, and what a killed one has begun is taken up.
 */
export interface MailQueue {
  /** Keeps a mail in the transaction of `client`. */
  add(
    client: pg.Client,
    mail: RenderedMail & { kind: string; to: string; expiresInMs: number },
  ): Promise<void>
  /** The next mail that is due, claimed; null when there is none. */
  claim(): Promise<QueuedMail | null>
  /** False where the claim has ended meanwhile. */
  renew(mail: QueuedMail): Promise<boolean>
  /** Notes that the mail is about to be whole. False where the claim has ended: then it must not be. */
  handOver(mail: QueuedMail): Promise<boolean>
  /** It has left, or never will: nothing of it is kept. */
  remove(mail: QueuedMail): Promise<void>
  /** To be tried again after so many ms. It has surely not left. */
  release(mail: QueuedMail, afterMs: number): Promise<void>
  /** Takes away what is worth nothing any more, and what may have left when its house was killed. */
  sweep(): Promise<LostMail[]>
  /** How long until the next mail is due, in ms; null when none waits. */
  untilDue(): Promise<number | null>
}

export function createMailQueue(pool: Pool): MailQueue {
  const mine = (text: string, mail: QueuedMail, ...more: unknown[]): Promise<boolean> =>
    pool
      .query(`${text} where id = $1 and claim = $2`, [mail.id, mail.claim, ...more])
      .then(({ rowCount }) => rowCount === 1)
  return {
    async add(client, { kind, to, subject, html, text, expiresInMs }) {
      await client.query({
        name: 'auth_mail_add',
        text: `insert into linnet_platform.mails (kind, recipient, subject, html, plain, expires_at)
               values ($1, $2, $3, $4, $5, now() + $6 * interval '1 ms')`,
        values: [kind, to, subject, html, text, expiresInMs],
      })
    },
    async claim() {
      const { rows } = await pool.query<QueuedMail & Record<string, unknown>>(
        `update linnet_platform.mails set claim = gen_random_uuid(), attempts = attempts + 1,
           due_at = now() + $1 * interval '1 s'
         where id = (select id from linnet_platform.mails
           where due_at <= now() and handed_at is null and expires_at > now()
           order by due_at limit 1 for update skip locked)
         returning id, kind, recipient, subject, html, plain, attempts, claim`,
        [claimSeconds],
      )
      return rows[0] ?? null
    },
    renew: (mail) =>
      mine(`update linnet_platform.mails set due_at = now() + $3 * interval '1 s'`, mail, claimSeconds),
    handOver: (mail) =>
      pool
        .query(
          `update linnet_platform.mails set handed_at = now(), due_at = now() + $3 * interval '1 s'
           where id = $1 and claim = $2 and due_at > now() and handed_at is null`,
          [mail.id, mail.claim, claimSeconds],
        )
        .then(({ rowCount }) => rowCount === 1),
    remove: (mail) => mine('delete from linnet_platform.mails', mail).then(() => {}),
    release: (mail, afterMs) =>
      mine(
        `update linnet_platform.mails set claim = null, handed_at = null,
           due_at = now() + $3 * interval '1 ms'`,
        mail,
        afterMs,
      ).then(() => {}),
    async sweep() {
      const { rows } = await pool.query<{ id: string; kind: string; left: boolean }>(
        `delete from linnet_platform.mails
         where due_at <= now() and handed_at is not null
           or expires_at <= now() and (claim is null or due_at <= now())
         returning id, kind, handed_at is not null as left`,
      )
      return rows.map(({ id, kind, left }) => ({ id, kind, mayHaveLeft: left }))
    },
    async untilDue() {
      const { rows } = await pool.query<{ wait: number | null }>(
        `select extract(epoch from min(due_at) - now())::float8 * 1000 as wait from linnet_platform.mails`,
      )
      return rows[0]?.wait ?? null
    },
  }
}
