import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { ImportSummary } from '../../../../wire/imports.ts'
import { importList, readReceipt } from '../../../data/administration/imports.ts'
import { saveBlob } from '../../../data/files/download/saveFile.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { LoadTogether } from '../../../features/parts/lists/LoadTogether.tsx'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatDate, formatDayAndTime } from '../../../ui/dates.ts'
import { useAction } from '../../../ui/useAction.ts'
import listStyles from '../SettingsList.module.css'
import { NewImport } from '../moving/NewImport.tsx'
import { PaneFrame } from '../PaneFrame.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import { ImportedPeople } from './ImportedPeople.tsx'
import { productName } from './productName.ts'
import { UndoDialog } from './UndoDialog.tsx'

/** The imports of other products, with their receipts and their undo. */
export default function ImportsPane() {
  const { role } = useMe()
  return (
    <PaneFrame hint={i18n._('Channels, people and messages that were moved here from other products.')}>
      <LoadTogether>
        {role === 'owner' ? <NewImport /> : null}
        <QueryContent query={useQuery(importList)} loading={i18n._('Loading…')}>
          {(imports) => (
            <SettingsSection
              title={i18n._('Past imports')}
              hint={
                role === 'owner'
                  ? i18n._('You can undo an import as a whole for 30 days.')
                  : i18n._('Owners can undo an import as a whole for 30 days.')
              }
            >
              {imports.length > 0 ? (
                <ul className={listStyles.list}>
                  {imports.map((one) => (
                    <ImportRow key={one.id} summary={one} isOwner={role === 'owner'} />
                  ))}
                </ul>
              ) : (
                <p className="muted">{i18n._('Nothing has been imported yet.')}</p>
              )}
            </SettingsSection>
          )}
        </QueryContent>
        <ImportedPeople />
      </LoadTogether>
    </PaneFrame>
  )
}

function ImportRow({ summary, isOwner }: { summary: ImportSummary; isOwner: boolean }) {
  const download = useAction()
  const [isUndoing, setUndoing] = useState(false)
  const { id, product, source_name: source, finished_at: finishedAt } = summary
  const name = i18n._('{product}: {source}', { product: productName(product), source })
  const save = async () => {
    const receipt = await download.run(() => readReceipt(id))
    if (receipt)
      await saveBlob(new Blob([receipt.value], { type: 'application/json' }), `${product}-import.json`)
  }
  return (
    <li className={listStyles.row}>
      <div className={listStyles.details}>
        <p className={listStyles.name}>
          <bdi>{name}</bdi>
        </p>
        <p className="note">{describeImport(summary)}</p>
        {download.failure ? <p role="alert">{download.failure}</p> : null}
      </div>
      {isOwner ? (
        <div className={listStyles.buttons}>
          {finishedAt === null ? null : (
            <Button
              busy={download.busy}
              aria-label={i18n._('Download receipt: {name}', { name })}
              onClick={() => void save()}
            >
              {i18n._('Download receipt')}
            </Button>
          )}
          {isUndoable(summary) ? (
            <Button
              variant="quiet"
              aria-label={i18n._('Undo: {name}', { name })}
              onClick={() => setUndoing(true)}
            >
              {i18n._('Undo…')}
            </Button>
          ) : null}
        </div>
      ) : null}
      {isUndoing ? <UndoDialog summary={summary} onClose={() => setUndoing(false)} /> : null}
    </li>
  )
}

const isUndoable = ({ undone_at: undoneAt, undo_until: undoUntil }: ImportSummary): boolean =>
  undoneAt === null && Date.parse(undoUntil) > Date.now()

function describeImport({
  channels,
  people,
  started_at: startedAt,
  finished_at: finishedAt,
  undone_at: undoneAt,
  removed_at: removedAt,
  undo_until: undoUntil,
}: ImportSummary): string {
  if (undoneAt !== null)
    return removedAt === null
      ? i18n._('Undone on {date}. Messages and files are still being removed, which takes a few minutes.', {
          date: formatDate(undoneAt),
        })
      : i18n._('Undone on {date}.', { date: formatDate(undoneAt) })
  const counts = [
    i18n._('{count, plural, one {# channel or conversation} other {# channels and conversations}}', {
      count: channels,
    }),
    i18n._('{count, plural, one {# person without an account} other {# people without an account}}', {
      count: people,
    }),
  ].join(' · ')
  if (finishedAt === null)
    return `${i18n._('Not finished, started {time}', { time: formatDayAndTime(startedAt) })} · ${counts}`
  const until =
    Date.parse(undoUntil) > Date.now()
      ? ` · ${i18n._('Can be undone until {date}', { date: formatDate(undoUntil) })}`
      : ''
  return `${formatDayAndTime(finishedAt)} · ${counts}${until}`
}
