import { i18n } from '@lingui/core'
import { fileKinds, type FileKind } from '../../../../../wire/fileKinds.ts'
import type { FileFilter } from '../../../../data/files/listing/fileList.ts'
import { useMembers } from '../../../../data/people/people.ts'
import { SearchFilter } from '../../lists/SearchFilter.tsx'
import { useMe } from '../../members/MeContext.ts'
import styles from './FileBrowser.module.css'

interface Props {
  filter: FileFilter
  /** Changes values of the address. */
  onChange: (change: { name?: string; type?: FileKind | ''; by?: string }) => void
}

/** Filters of the list: part of the name, type, author. */
export function Filters({ filter, onChange }: Props) {
  return (
    <search className={styles.filters} aria-label={i18n._('Search files')}>
      <div className={styles.field}>
        <SearchFilter
          label={i18n._('Filter by name')}
          value={filter.terms}
          onChange={(name) => onChange({ name })}
        />
      </div>
      <label className={styles.select}>
        <span className="visually-hidden">{i18n._('Type')}</span>
        <select
          value={filter.kind ?? ''}
          onChange={(event) => onChange({ type: event.currentTarget.value as FileKind | '' })}
        >
          <option value="">{i18n._('All types')}</option>
          {fileKinds.map((kind) => (
            <option key={kind} value={kind}>
              {kindName(kind)}
            </option>
          ))}
        </select>
      </label>
      <PersonSelect author={filter.author} onChange={(by) => onChange({ by })} />
    </search>
  )
}

function PersonSelect({ author, onChange }: { author: string | null; onChange: (author: string) => void }) {
  const me = useMe().profile.id
  const members = useMembers()
  const others = members.filter(({ profile, state }) => profile.id !== me && state === 'active')
  const former = members.filter(({ profile, state }) => profile.id !== me && state !== 'active')
  const isKnown = author === null || members.some(({ profile }) => profile.id === author)
  return (
    <label className={styles.select}>
      <span className="visually-hidden">{i18n._('Shared by')}</span>
      <select value={author ?? ''} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{i18n._('Anyone')}</option>
        <option value={me}>{i18n._('You')}</option>
        {isKnown ? null : <option value={author}>{i18n._('Former member')}</option>}
        {others.map(({ profile }) => (
          <option key={profile.id} value={profile.id}>
            {profile.name}
          </option>
        ))}
        {former.length > 0 ? (
          <optgroup label={i18n._('Former members')}>
            {former.map(({ profile }) => (
              <option key={profile.id} value={profile.id}>
                {profile.name}
              </option>
            ))}
          </optgroup>
        ) : null}
      </select>
    </label>
  )
}

function kindName(kind: FileKind): string {
  if (kind === 'picture') return i18n._('Images')
  if (kind === 'video') return i18n._('Videos')
  if (kind === 'audio') return i18n._('Audio')
  if (kind === 'pdf') return i18n._('PDFs')
  if (kind === 'text') return i18n._('Text')
  return i18n._('Other files')
}
