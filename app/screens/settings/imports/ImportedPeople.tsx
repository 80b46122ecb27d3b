import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { ImportedPerson } from '../../../../wire/imports.ts'
import { importedPeople } from '../../../data/administration/imports.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useMember } from '../../../data/people/people.ts'
import { usePagedQuery } from '../../../data/queries/pagedQuery.ts'
import { PagedList } from '../../../features/parts/lists/PagedList.tsx'
import { SearchFilter } from '../../../features/parts/lists/SearchFilter.tsx'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { Button } from '../../../ui/Button.tsx'
import listStyles from '../SettingsList.module.css'
import { SettingsSection } from '../SettingsSection.tsx'
import { ClaimDialog } from './ClaimDialog.tsx'

/** The imported people whom no member has claimed. Those whose address a member has confirmed come first. */
export function ImportedPeople() {
  const { role } = useMe()
  const [query, setQuery] = useState('')
  const [claimed, setClaimed] = useState<ImportedPerson | null>(null)
  const pages = usePagedQuery(importedPeople, [query])
  const suggested = pages.summary?.suggested ?? []
  const onClaim = role === 'owner' ? setClaimed : null
  return (
    <>
      {suggested.length > 0 ? (
        <SettingsSection
          title={i18n._('People who have joined')}
          hint={i18n._('They have confirmed the email address that the export has for these people.')}
        >
          <ul className={listStyles.list}>
            {suggested.map((person) => (
              <PersonRow key={person.profile_id} person={person} onClaim={onClaim} />
            ))}
          </ul>
        </SettingsSection>
      ) : null}
      <SettingsSection
        title={i18n._('Imported people')}
        hint={i18n._(
          'They have no account. When one of them joins, an owner can transfer their messages, channels and conversations to the new member.',
        )}
      >
        <SearchFilter label={i18n._('Search by name or email')} value={query} onChange={setQuery} />
        <PagedList
          label={i18n._('Imported people')}
          className={listStyles.list}
          pages={pages}
          empty={query === '' ? i18n._('There are none.') : i18n._('Nobody matches.')}
          render={(person) => <PersonRow key={person.profile_id} person={person} onClaim={onClaim} />}
        />
      </SettingsSection>
      {claimed ? <ClaimDialog person={claimed} onClose={() => setClaimed(null)} /> : null}
    </>
  )
}

function PersonRow({
  person,
  onClaim,
}: {
  person: ImportedPerson
  onClaim: ((person: ImportedPerson) => void) | null
}) {
  const { name, title, email } = person
  const member = useMember(person.claimed_by ?? person.suggested_id ?? '')
  const memberName = isolateBidi(member?.profile.name ?? i18n._('Former member'))
  const facts = [title, email].filter((fact) => fact !== null).map(isolateBidi)
  if (person.claimed_by !== null)
    facts.push(i18n._('{member} is getting the messages. This takes a few minutes.', { member: memberName }))
  else if (person.suggested_id !== null) facts.push(i18n._('Confirmed by {member}', { member: memberName }))
  return (
    <li className={listStyles.row}>
      <div className={listStyles.details}>
        <p className={listStyles.name}>
          <bdi>{name}</bdi>
        </p>
        {facts.length > 0 ? <p className="note">{facts.join(' · ')}</p> : null}
      </div>
      {onClaim && person.claimed_by === null ? (
        <Button aria-label={i18n._('Transfer messages: {name}', { name })} onClick={() => onClaim(person)}>
          {i18n._('Transfer messages…')}
        </Button>
      ) : null}
    </li>
  )
}
