import { i18n } from '@lingui/core'
import type { ImportReport } from '../../../../wire/moving.ts'
import styles from './MovingPane.module.css'

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** The numbers of an import, and what can't be imported. */
export function ImportSummary({ report }: { report: ImportReport }) {
  const { people, channels, rows, linkedFiles, sharedChannels, separateConversations } = report
  const skipped = sum(channels.flatMap((channel) => Object.values(channel.skipped)))
  const missing = sum(channels.map(({ missingFileCount }) => missingFileCount))
  const emoji = Object.keys(report.customEmoji).length
  const lines = [
    i18n._('{count, plural, one {# message} other {# messages}}', { count: rows['messages'] ?? 0 }),
    i18n._('{count, plural, one {# channel or conversation} other {# channels and conversations}}', {
      count: channels.length,
    }),
    i18n._('{count, plural, one {# file} other {# files}}', {
      count: sum(channels.map(({ files }) => files)),
    }),
    i18n._(
      '{matched, plural, one {# person is a member already} other {# people are members already}}, {imported, plural, one {# has no account} other {# have no account}}',
      people,
    ),
  ]
  const notes = [
    [
      missing,
      i18n._(
        '{count, plural, one {# file isn’t in the export. Its name stays.} other {# files aren’t in the export. Their names stay.}}',
        { count: missing },
      ),
    ],
    [
      linkedFiles,
      i18n._('{count, plural, one {# file is} other {# files are}} behind links.', { count: linkedFiles }),
    ],
    [
      skipped,
      i18n._(
        '{count, plural, one {# entry is} other {# entries are}} left out, such as notices of added apps. The receipt has the reasons.',
        { count: skipped },
      ),
    ],
    [
      emoji,
      i18n._(
        '{count, plural, one {# custom emoji is missing here. Add it with the same name, and old messages show it.} other {# custom emoji are missing here. Add them with the same names, and old messages show them.}}',
        { count: emoji },
      ),
    ],
    [
      sharedChannels.length,
      i18n._(
        '{count, plural, one {# channel is} other {# channels are}} shared with other organizations: only the part in the export is imported.',
        { count: sharedChannels.length },
      ),
    ],
    [
      separateConversations,
      i18n._(
        '{count, plural, one {# conversation becomes a private channel} other {# conversations become private channels}}, because the same people have a conversation here already.',
        { count: separateConversations },
      ),
    ],
  ] as const
  return (
    <>
      <ul className={styles.list}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <ul className={styles.list}>
        {notes.map(([count, note]) => (count > 0 ? <li key={note}>{note}</li> : null))}
        {report.renamed.slice(0, 20).map(({ from, to }) => (
          <li key={to}>{i18n._('The name {from} is taken here: it becomes {to}.', { from, to })}</li>
        ))}
        {Object.entries(report.notes).map(([note, count]) =>
          count > 0 ? (
            <li key={note} lang="en">
              {count} {note}.
            </li>
          ) : null,
        )}
      </ul>
    </>
  )
}
