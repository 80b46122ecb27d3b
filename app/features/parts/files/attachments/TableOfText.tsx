import type { TextTable } from './parseTable.ts'
import styles from './TableOfText.module.css'

interface Props {
  /** The name of the file, which is the accessible name of the table. */
  label: string
  rows: TextTable['rows']
}

/** The rows of a file with comma-separated values; the first one is the head. */
export function TableOfText({ label, rows: [head, ...rows] }: Props) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- focusable, so that keys scroll it
    <section className={styles.scroller} tabIndex={0} aria-label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            {head?.map((cell, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- a file does not change, and cells have no id
              <th key={at} scope="col" dir="auto">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- see above
            <tr key={at}>
              {row.map((cell, column) => (
                // oxlint-disable-next-line react/no-array-index-key -- see above
                <td key={column} dir="auto">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
