-- `linnet deploy --check` lists secrets that functions read and that Vault does not have, for an owner to create. The function
-- `push` creates this one at its first call, so it exists without a value until then.

select app.store_secret('linnet_push_keys', 'null', 'Identifies this server to push services (VAPID).');

create or replace function public.push_keys(made jsonb default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  stored text := nullif(app.read_secret('linnet_push_keys'), 'null');
begin
  if stored is null and made is not null then
    -- Two calls must not create two pairs.
    perform pg_advisory_xact_lock(hashtextextended('linnet_push_keys', 0));
    stored := nullif(app.read_secret('linnet_push_keys'), 'null');
    if stored is null then
      perform app.store_secret('linnet_push_keys', made::text, 'Identifies this server to push services (VAPID).');
      stored := made::text;
    end if;
  end if;
  return jsonb_build_object('keys', stored::jsonb,
    'contact', (select s.value from public.settings s where s.key = 'push_contact'));
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
