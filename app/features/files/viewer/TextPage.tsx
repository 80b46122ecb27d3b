import { i18n } from '@lingui/core'
import { cx } from '../../../ui/cx.ts'
import { sizeOf } from '../../../ui/size.ts'
import { useDelayed } from '../../../ui/useDelayed.ts'
import { Failed } from '../shown/Failed.tsx'
import { isCode } from '../shown/isCode.ts'
import { useText } from '../shown/useText.ts'
import type { ShownFile } from './ShownFile.ts'
import styles from './FileViewer.module.css'

/** More than anybody reads here, and little enough to be laid out at once. */
const BYTES = 512 * 1024

/** A text, wrapped to the width that there is; the end of a very long one is in the download. */
export function TextPage({ shown: { channelId, file }, onAgain }: { shown: ShownFile; onAgain: () => void }) {
  const read = useText(channelId, file, BYTES)
  const waiting = useDelayed(!read)
  if (!read) return waiting ? <p className={styles.soft}>{i18n._('Loading…')}</p> : null
  if (!read.ok) return <Failed words={read.failure.sentence} onAgain={onAgain} />
  const { text, cut } = read.value
  if (text.trim() === '') return <p className={styles.soft}>{i18n._('This file is empty.')}</p>
  return (
    // Focusable, so that it is scrolled by keys.
    // oxlint-disable-next-line jsx_a11y/no-noninteractive-tabindex
    <div className={styles.page} tabIndex={0} role="region" aria-label={file.name}>
      <pre className={cx(styles.pre, isCode(file.type) && styles.code)}>{text}</pre>
      {cut ? (
        <p className={styles.soft}>
          {i18n._('Showing the first {size}. Download the file to see the rest.', { size: sizeOf(BYTES) })}
        </p>
      ) : null}
    </div>
  )
}
