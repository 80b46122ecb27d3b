import { i18n } from '@lingui/core'
import type { ImportSummary, UndoPreview } from '../../../../wire/imports.ts'
import { undoImport, undoPreview } from '../../../data/administration/imports.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { formatBytes } from '../../../ui/formatBytes.ts'
import { productName } from './productName.ts'

interface Props {
  summary: ImportSummary
  onClose: () => void
}

/** Confirms the undo of an import, with the numbers of what it deletes. */
export function UndoDialog({ summary, onClose }: Props) {
  const preview = useQuery(undoPreview, [summary.id])
  return (
    <ConfirmDialog
      title={i18n._('Undo the import from {product}?', { product: productName(summary.product) })}
      action={i18n._('Undo import')}
      isDestructive
      isDisabled={preview.value === undefined}
      run={() => (preview.value ? undoImport(summary.id, preview.value.later_messages) : null)}
      doneText={i18n._('The import was undone.')}
      onClose={onClose}
    >
      <QueryContent query={preview} loading={i18n._('Loading…')}>
        {(found) => <Consequences found={found} />}
      </QueryContent>
    </ConfirmDialog>
  )
}

function Consequences({ found }: { found: UndoPreview }) {
  return (
    <>
      <p>
        {i18n._('These are deleted for everyone: {channels}, {messages}, and {size} of files.', {
          channels: i18n._(
            '{count, plural, one {# channel or conversation} other {# channels and conversations}}',
            { count: found.channels },
          ),
          messages: i18n._('{count, plural, one {# message} other {# messages}}', { count: found.messages }),
          size: formatBytes(found.bytes),
        })}
      </p>
      {found.later_messages > 0 ? (
        <p>
          <strong>
            {i18n._(
              '{count, plural, one {# of these messages was written here after the import} other {# of these messages were written here after the import}}, by {people, plural, one {# person} other {# people}}.',
              { count: found.later_messages, people: found.later_people },
            )}
          </strong>
        </p>
      ) : null}
      {found.people > 0 ? (
        <p>
          {i18n._(
            '{count, plural, one {# imported person is removed too, unless there are messages by them in other channels.} other {# imported people are removed too, except those with messages in other channels.}}',
            { count: found.people },
          )}
        </p>
      ) : null}
      <p>{i18n._('You can’t undo this. Afterwards you can import the same export again.')}</p>
    </>
  )
}
