import { Suspense, type ReactNode } from 'react'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { Body } from './Body.tsx'
import { leaveOutCardLinks } from './cardLinks.ts'
import styles from './CollapsibleBody.module.css'

const LongBody = lazyComponent(() => import('./LongBody.tsx'), { preload: true })

/** Lines of a body, of 80 characters, from which on it is collapsed. More than the 16 that remain. */
const LONG = 24

interface Props {
  id: string
  body: string
  after?: ReactNode
  /** Whether all of it is shown until the reader collapses it: a message that the reader has just sent. */
  startsExpanded?: boolean
}

/**
 * A body without the links that have cards below it. Only its beginning is shown if it is long. Decided by the text, so that its
 * height is known at once.
 */
export function CollapsibleBody({ id, body, after, startsExpanded = false }: Props) {
  const content = <Body body={body} after={after} change={leaveOutCardLinks} />
  if (!isLong(body)) return content
  return (
    <Suspense fallback={startsExpanded ? content : <div className={styles.collapsed}>{content}</div>}>
      <LongBody id={id} startsExpanded={startsExpanded}>
        {content}
      </LongBody>
    </Suspense>
  )
}

/** Exported for tests. Addresses of links are not shown. */
export function isLong(body: string): boolean {
  const lines = body.replaceAll(/\]\([^)\s]*\)/g, ']').split('\n')
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0) > LONG
}
