/* oxlint-disable react/no-array-index-key -- the parts of a card never change their order */
import type { CSSProperties } from 'react'
import { safeHref } from '../../../../../wire/body/addresses.ts'
import type { CardColor, MessageCard } from '../../../../../wire/messages.ts'
import { cx } from '../../../../ui/cx.ts'
import { formatDateTime, formatDayAndTime } from '../../../../ui/dates.ts'
import { Body } from '../../../parts/body/Body.tsx'
import styles from './Cards.module.css'

/** Angles in degrees of OKLCH. */
const HUES: Partial<Record<CardColor, number>> = {
  red: 26,
  orange: 55,
  yellow: 90,
  green: 150,
  blue: 245,
  purple: 305,
}

/** Cards of another service. Its pictures are links, since its server would learn who reads the message. */
export function Cards({ cards }: { cards: readonly MessageCard[] }) {
  return cards.map((card, at) => <Card key={at} {...card} />)
}

function Card({ color, author, title, text, fields, footer, at, links }: MessageCard) {
  const hue = color && HUES[color]
  const style = hue === undefined ? {} : { 'data-hue': hue, style: { '--hue': hue } as CSSProperties }
  return (
    <blockquote className={cx(styles.card, hue !== undefined && styles.colored)} {...style}>
      {author ? <Line className={styles.note} markdown={author} /> : null}
      {title ? <Line className={styles.title} markdown={title} /> : null}
      {text ? <Body body={text} /> : null}
      {fields?.length ? (
        <dl className={styles.fields}>
          {fields.map(({ name, value, short }, field) => (
            <div key={field} className={short ? undefined : styles.wide}>
              {name ? (
                <dt className={styles.name}>
                  <Body body={name} />
                </dt>
              ) : null}
              <dd className={styles.value}>
                <Body body={value} />
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      <CardLinks links={links ?? []} />
      {footer || at ? (
        <div className={styles.footer}>
          {footer ? <Body body={footer} /> : null}
          {at ? (
            <time dateTime={at} title={formatDateTime(at)}>
              {formatDayAndTime(at)}
            </time>
          ) : null}
        </div>
      ) : null}
    </blockquote>
  )
}

function Line({ className, markdown }: { className: string | undefined; markdown: string }) {
  return (
    <div className={className}>
      <Body body={markdown} />
    </div>
  )
}

function CardLinks({ links }: Required<Pick<MessageCard, 'links'>>) {
  const safe = links.flatMap(({ text, url }) => {
    const href = safeHref(url)
    return href === null ? [] : [{ text, href }]
  })
  if (safe.length === 0) return null
  return (
    <ul className={styles.links}>
      {safe.map(({ text, href }, at) => (
        <li key={at}>
          <a className={styles.link} href={href} target="_blank" rel="noopener noreferrer" dir="auto">
            {text}
          </a>
        </li>
      ))}
    </ul>
  )
}
