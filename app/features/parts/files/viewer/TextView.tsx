import { i18n } from '@lingui/core'
import { cx } from '../../../../ui/cx.ts'
import { formatBytes } from '../../../../ui/formatBytes.ts'
import { useDelayed } from '../../../../ui/useDelayed.ts'
import { FileError } from '../attachments/FileError.tsx'
import { isCode } from '../attachments/isCode.ts'
import { isTable, parseTable, withoutLastLine } from '../attachments/parseTable.ts'
import { TableOfText } from '../attachments/TableOfText.tsx'
import { useTextFile } from '../attachments/useTextFile.ts'
import type { ViewedFile } from './ViewedFile.ts'
import styles from './FileViewer.module.css'

/** More than anyone reads here, and little enough to be rendered at once. */
const MAX_BYTES = 512 * 1024

/** A text file, wrapped to the window; the end of a long one is only in the download. */
export function TextView({
  shown: { channelId, file },
  onRetry,
}: {
  shown: ViewedFile
  onRetry: () => void
}) {
  const result = useTextFile(channelId, file, MAX_BYTES)
  const waiting = useDelayed(!result)
  if (!result) return waiting ? <p className={styles.muted}>{i18n._('Loading…')}</p> : null
  if (!result.ok) return <FileError text={result.failure.message} onRetry={onRetry} />
  const { text, cut } = result.value
  const table = isTable(file) ? parseTable(cut ? withoutLastLine(text) : text) : null
  if (text.trim() === '') return <p className={styles.muted}>{i18n._('This file is empty.')}</p>
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- focusable, so that keys scroll it
    <section className={styles.page} tabIndex={0} aria-label={file.name}>
      {table ? (
        <TableOfText label={file.name} rows={table.rows} />
      ) : (
        <pre className={cx(styles.text, isCode(file.type) && styles.code)}>{text}</pre>
      )}
      {table?.cut && !cut ? (
        <p className={styles.muted}>
          {i18n._('Showing the first rows and columns. Download the file to see the rest.')}
        </p>
      ) : null}
      {cut ? (
        <p className={styles.muted}>
          {i18n._('Showing the first {size}. Download the file to see the rest.', {
            size: formatBytes(MAX_BYTES),
          })}
        </p>
      ) : null}
    </section>
  )
}
