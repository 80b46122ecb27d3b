import { i18n } from '@lingui/core'
import { useState } from 'react'
import { LIMITS } from '../../../../../wire/limits.ts'
import {
  addBookmark,
  changeBookmark,
  toBookmarkUrl,
  type ShownBookmark,
} from '../../../../data/channels/bookmarks.ts'
import { success } from '../../../../data/failures/failures.ts'
import { createQuery } from '../../../../data/queries/createQuery.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { callForWorkspace } from '../../../../data/workspaces/callForWorkspace.ts'
import { cx } from '../../../../ui/cx.ts'
import { FormDialog } from '../../../../ui/FormDialog.tsx'
import layout from '../../../../ui/dialogLayout.module.css'
import { RadioGroup } from '../../../../ui/RadioGroup.tsx'
import { TextField } from '../../../../ui/TextField.tsx'
import { QueryContent } from '../../../parts/lists/QueryContent.tsx'

interface Props {
  channelId: string
  /** The link to change; null adds a bookmark. */
  bookmark: ShownBookmark | null
  onSaved?: () => void
  onClose: () => void
}

/** Files that are listed: the newest of the channel. */
const MAX_FILES = 50

/** Adds a bookmark to a channel, or changes a link. */
export function BookmarkDialog({ channelId, bookmark, onSaved, onClose }: Props) {
  const [id] = useState(() => crypto.randomUUID())
  const [kind, setKind] = useState<'link' | 'file'>('link')
  const [title, setTitle] = useState(bookmark?.title ?? '')
  const [url, setUrl] = useState(bookmark?.url ?? '')
  const [upload, setUpload] = useState<string | null>(null)
  const isReady = kind === 'link' ? url.trim() !== '' : upload !== null

  const save = () => {
    const address = toBookmarkUrl(url)
    // A link without a name gets the name of its server.
    const name = title.trim() || address.replace(/^https?:\/\//, '').slice(0, LIMITS.bookmarkTitleCharacters)
    return bookmark
      ? changeBookmark(bookmark.id, name, address)
      : addBookmark(
          channelId,
          id,
          kind === 'file' && upload !== null ? { upload } : { title: name, url: address },
        )
  }
  return (
    <FormDialog
      title={bookmark ? i18n._('Edit bookmark') : i18n._('Add a bookmark')}
      action={bookmark ? i18n._('Save') : i18n._('Add bookmark')}
      run={save}
      isDisabled={!isReady}
      fields={{ bad_bookmark: 'link' }}
      onDone={onSaved}
      onClose={onClose}
    >
      {bookmark ? null : (
        <RadioGroup
          label={i18n._('Kind of bookmark')}
          hideLabel
          value={kind}
          options={[
            { value: 'link', label: i18n._('Link') },
            { value: 'file', label: i18n._('File') },
          ]}
          onChange={setKind}
        />
      )}
      {kind === 'link' ? (
        <>
          <TextField
            name="link"
            label={i18n._('Link')}
            spellCheck={false}
            maxLength={2_000}
            value={url}
            onChange={setUrl}
          />
          <TextField
            label={i18n._('Name (optional)')}
            maxLength={LIMITS.bookmarkTitleCharacters}
            value={title}
            onChange={setTitle}
          />
        </>
      ) : (
        <Files channelId={channelId} chosen={upload} onChoose={setUpload} />
      )}
      <p className="note">
        {i18n._(
          'Everyone who can read this channel sees its bookmarks. Files open only for people who can read them.',
        )}
      </p>
    </FormDialog>
  )
}

const newestFiles = createQuery({
  fetch: async (channel: string) => {
    const outcome = await callForWorkspace('list_files', { channel, limit: MAX_FILES })
    if (!outcome.ok) return outcome
    return success([...new Map(outcome.value.files.map(({ file }) => [file.id, file])).values()])
  },
})

interface FilesProps {
  channelId: string
  chosen: string | null
  onChoose: (upload: string) => void
}

/** The newest files of the channel. */
function Files({ channelId, chosen, onChoose }: FilesProps) {
  return (
    <QueryContent query={useQuery(newestFiles, [channelId])} loading={i18n._('Files')}>
      {(files) => (
        <div className={cx(layout.list, layout.short)} role="radiogroup" aria-label={i18n._('Files')}>
          {files.map((file) => (
            <label key={file.id} className={layout.row}>
              <input
                type="radio"
                name="file"
                checked={chosen === file.id}
                onChange={() => onChoose(file.id)}
              />
              <span dir="auto">{file.name}</span>
            </label>
          ))}
          {files.length === 0 ? <p className="muted">{i18n._('This channel has no files yet.')}</p> : null}
        </div>
      )}
    </QueryContent>
  )
}
