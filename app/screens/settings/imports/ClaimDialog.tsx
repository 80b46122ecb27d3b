import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { ClaimPreview, ImportedPerson } from '../../../../wire/imports.ts'
import { claimImportedPerson, claimPreview } from '../../../data/administration/imports.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useMembers } from '../../../data/people/people.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { SelectField } from '../../../ui/SelectField.tsx'

interface Props {
  person: ImportedPerson
  onClose: () => void
}

/** Chooses the member who is an imported person, and confirms what they get. */
export function ClaimDialog({ person, onClose }: Props) {
  const me = useMe()
  const [member, setMember] = useState(person.suggested_id ?? '')
  const preview = useQuery(member === '' ? null : claimPreview, [person.profile_id, member])
  const candidates = useMembers().filter(
    ({ state, profile }) =>
      state === 'active' &&
      profile.kind === 'person' &&
      // The server refuses claims for oneself without the address.
      (profile.id !== me.profile.id || profile.id === person.suggested_id),
  )
  const name = isolateBidi(person.name)
  const memberName = isolateBidi(
    candidates.find(({ profile }) => profile.id === member)?.profile.name ?? i18n._('Former member'),
  )
  return (
    <FormDialog
      title={i18n._('Transfer the messages of {name} to a member', { name })}
      action={i18n._('Transfer messages')}
      isDisabled={preview.value === undefined}
      run={() => (preview.value ? claimImportedPerson(person.profile_id, member) : null)}
      doneText={i18n._('{member} gets the messages within a few minutes.', { member: memberName })}
      onClose={onClose}
    >
      <SelectField
        label={i18n._('Member')}
        value={member}
        options={[
          { value: '', label: i18n._('Choose a person') },
          ...candidates.map(({ profile }) => ({ value: profile.id, label: profile.name })),
        ]}
        onChange={setMember}
      />
      <div role="status">
        {member === '' ? null : (
          <QueryContent query={preview} loading={i18n._('Loading…')}>
            {(found) => <Consequences found={found} member={memberName} />}
          </QueryContent>
        )}
      </div>
    </FormDialog>
  )
}

function Consequences({ found, member }: { found: ClaimPreview; member: string }) {
  return (
    <>
      {found.has_same_address ? (
        <p>{i18n._('{member} has confirmed the email address that the export has.', { member })}</p>
      ) : (
        <p>
          <strong>
            {i18n._(
              '{member} hasn’t confirmed the email address of the export. Make sure that it is the same person.',
              { member },
            )}
          </strong>
        </p>
      )}
      <p>
        {i18n._(
          '{count, plural, one {{member} becomes the author of # message, and can edit and delete it.} other {{member} becomes the author of # messages, and can edit and delete them.}}',
          { count: found.messages, member },
        )}
      </p>
      {found.gained_count > 0 ? (
        <>
          <p>{i18n._('{member} can then also read the whole history of:', { member })}</p>
          <ul>
            {found.gained.map(({ id, name, people }) => (
              <li key={id}>
                <bdi>
                  {name ??
                    i18n._('Conversation with {people}', {
                      people: new Intl.ListFormat(i18n.locales ?? i18n.locale).format(people ?? []),
                    })}
                </bdi>
              </li>
            ))}
            {found.gained_count > found.gained.length ? (
              <li>
                {i18n._('{count, plural, one {# other} other {# others}}', {
                  count: found.gained_count - found.gained.length,
                })}
              </li>
            ) : null}
          </ul>
        </>
      ) : null}
      <p>{i18n._('You can’t undo this.')}</p>
    </>
  )
}
