//! The forms of secrets in shells, files and URLs, and what must not remain of each. A form that
//! was once missed stays here.

use taffrail_redact::redact;

/// A text, and what must not remain of it. A `·` splits each marker and is removed before the test,
/// so that secret scanners find nothing in this file.
type Form = (&'static str, &'static str);

const COMMANDS: &[Form] = &[
    ("sshpass -p Regenbogen ssh root@10.0.0.4", "Regenbogen"),
    ("sshpass -pRegenbogen7 scp a b:", "Regenbogen7"),
    ("sshpass -v -p 'Drei Worte hier' ssh x", "Drei Worte"),
    ("mysql -u root -pRegenbogen shop", "Regenbogen"),
    ("mysqldump -h db -uroot -p'Blau!haus 9' shop > x.sql", "Blau!haus"),
    ("mariadb-admin -uroot -pgeheimnis status", "geheimnis"),
    ("mysql -u root --password=Regenbogen shop", "Regenbogen"),
    ("redis-cli -h cache -p 6379 -a Regenbogen ping", "Regenbogen"),
    ("redis-cli --pass Regenbogen ping", "Regenbogen"),
    ("docker login -u ada -p Regenbogen r.example.net", "Regenbogen"),
    ("podman login --username ada --password Regenbogen r.example.net", "Regenbogen"),
    ("helm registry login r.example.net -u ada -p Regenbogen", "Regenbogen"),
    ("echo Regenbogen | sudo -S apt-get update", "Regenbogen"),
    ("echo 'Regenbogen' | sudo -kS id", "Regenbogen"),
    ("printf '%s\\n' Regenbogen | sudo -S id", "Regenbogen"),
    ("printf 'Regenbogen\\n' | sudo -S id", "Regenbogen"),
    ("sudo -S id <<< Regenbogen", "Regenbogen"),
    ("sudo -S id <<< \"Regenbogen\"", "Regenbogen"),
    ("echo Regenbogen | docker login -u ada --password-stdin", "Regenbogen"),
    ("echo root:Regenbogen | chpasswd", "Regenbogen"),
    ("echo \"Regenbogen\" | passwd --stdin ada", "Regenbogen"),
    ("openssl enc -aes-256-cbc -pass pass:Regenbogen -in a", "Regenbogen"),
    ("openssl rsa -in k.pem -passin 'pass:Regenbogen' -passout pass:Blaumeise", "Regenbogen"),
    ("openssl rsa -in k.pem -passin 'pass:Regenbogen' -passout pass:Blaumeise", "Blaumeise"),
    ("openssl enc -aes-256-cbc -k Regenbogen -in a", "Regenbogen"),
    ("curl -u ada:Regenbogen https://example.net", "Regenbogen"),
    ("curl -sS --user 'ada:Regen bogen' https://example.net", "bogen"),
    ("curl -uada:Regenbogen https://example.net", "Regenbogen"),
    ("curl --proxy-user ada:Regenbogen https://example.net", "Regenbogen"),
    ("mongosh --host db -u ada -p Regenbogen --authenticationDatabase admin", "Regenbogen"),
    ("mongodump -u ada -p=Regenbogen", "Regenbogen"),
    ("cqlsh db -u ada -p Regenbogen", "Regenbogen"),
    ("ldapsearch -x -D cn=admin -w Regenbogen -b dc=x", "Regenbogen"),
    ("smbclient //host/share -U ada%Regenbogen -c ls", "Regenbogen"),
    ("smbclient //host/share -U 'ada%Regenbogen'", "Regenbogen"),
    ("htpasswd -b .htpasswd ada Regenbogen", "Regenbogen"),
    ("htpasswd -nbB ada Regenbogen", "Regenbogen"),
    ("htpasswd -cbB -C 12 .htpasswd ada Regenbogen", "Regenbogen"),
    ("htpasswd -n -b ada Regenbogen && reload", "Regenbogen"),
    ("htpasswd -bC 12 -n ada 'Regen bogen'", "Regen bogen"),
    ("htpasswd -b5 /etc/nginx/.htpasswd ada \"Regen bogen\"", "Regen bogen"),
    ("gpg --batch --passphrase Regenbogen -d a.gpg", "Regenbogen"),
    ("unzip -P Regenbogen a.zip", "Regenbogen"),
    ("zip -r -P Regenbogen a.zip dir", "Regenbogen"),
    ("7z x -pRegenbogen a.7z", "Regenbogen"),
    ("7za a -p'Regen bogen' -mhe a.7z dir", "Regen bogen"),
    ("unrar x -hpRegenbogen a.rar", "Regenbogen"),
    ("sqlcmd -S db -U sa -P Regenbogen -Q x", "Regenbogen"),
    ("mosquitto_pub -h mq -u ada -P Regenbogen -t x -m y", "Regenbogen"),
    ("ipmitool -H bmc -U root -P Regenbogen power status", "Regenbogen"),
    ("plink -ssh -pw Regenbogen ada@host", "Regenbogen"),
    ("keytool -list -keystore a.jks -storepass Regenbogen", "Regenbogen"),
    ("lftp -u ada,Regenbogen ftp.example.net", "Regenbogen"),
    ("sqlplus scott/Regenbogen@db", "Regenbogen"),
    ("xfreerdp /u:ada /p:Regenbogen /v:host", "Regenbogen"),
    ("rabbitmqctl add_user ada Regenbogen", "Regenbogen"),
    ("deploy --password=Regenbogen --yes", "Regenbogen"),
    ("svn checkout x --username ada --password Regenbogen --no-auth-cache", "Regenbogen"),
    ("{\"command\":\"sshpass -p \\\"Regenbogen\\\" ssh host\"}", "Regenbogen"),
    ("{\"command\":\"echo Regenbogen | sudo -S id\\nls\"}", "Regenbogen"),
    ("{\"command\":\"mysql -uroot -pRegenbogen\"}", "Regenbogen"),
    ("cd /srv\\nmysql -uroot -pRegenbogen\\nls", "Regenbogen"),
    ("[\"sshpass\", \"-p\", \"Regenbogen\", \"ssh\"]", "Regenbogen"),
    ("[\"redis-cli\",\"-a\",\"Regenbogen\"]", "Regenbogen"),
    ("ssh-keygen -t ed25519 -N Regenbogen -f k", "Regenbogen"),
    ("mount -t cifs //h/s /mnt -o username=ada,password=Regenbogen", "Regenbogen"),
    ("nmcli dev wifi connect home password Regenbogen", "Regenbogen"),
    ("wget --http-user=ada --http-password=Regenbogen https://example.net", "Regenbogen"),
];

const SETTINGS: &[Form] = &[
    ("PGPASSWORD=Regenbogen psql -h db", "Regenbogen"),
    ("export PGPASSWORD=regenbogen", "regenbogen"),
    ("export MYSQL_PWD='regenbogen'", "regenbogen"),
    ("docker run -e POSTGRES_PASSWORD=regenbogen -p 5432:5432 postgres", "regenbogen"),
    ("      - MYSQL_ROOT_PASSWORD=regenbogen", "regenbogen"),
    ("DB_PASS=Sommer2024", "Sommer2024"),
    ("export DB_PASS=Sommer2024; ./run", "Sommer2024"),
    ("{\"command\":\"DB_PASS=Sommer2024 ./run\"}", "Sommer2024"),
    ("\"text\":\"A=1\\nDB_PASS=Sommer2024\\nB=2\"", "Sommer2024"),
    ("DB_USER=app DB_PASS=Sommer2024 DB_HOST=db ./run", "Sommer2024"),
    ("PASS=Regenbogen", "Regenbogen"),
    ("SMTP_PASSWD=Regenbogen", "Regenbogen"),
    ("REDIS_PASSWORD=correct-horse-battery", "correct-horse"),
    ("password: Regenbogen", "Regenbogen"),
    ("password: swordfish", "swordfish"),
    ("db:\n  user: app\n  password: regenbogen\n  host: x", "regenbogen"),
    ("db:\n  user: app\n  pass: Regenbogen\n", "Regenbogen"),
    ("  pass: Sommer2024", "Sommer2024"),
    ("  pass: \"Sommer2024\"", "Sommer2024"),
    ("  - pass: 'regenbogen'  # for now", "regenbogen"),
    ("  POSTGRES_PASSWORD: regenbogen", "regenbogen"),
    ("     7→  password: Regenbogen", "Regenbogen"),
    ("{\"user\":\"app\",\"password\":\"regenbogen\"}", "regenbogen"),
    ("{\\\"password\\\":\\\"regenbogen\\\"}", "regenbogen"),
    ("a: 1\\npassword: Regenbogen\\nb: 2", "Regenbogen"),
    ("\"PGPASSWORD\": \"regenbogen\",", "regenbogen"),
    ("password = \"Regenbogen\"", "Regenbogen"),
    ("password = Regenbogen", "Regenbogen"),
    ("spring.datasource.password=regenbogen", "regenbogen"),
    ("psql \"host=db user=app password=regenbogen dbname=x\"", "regenbogen"),
    ("Server=db;User Id=sa;Password=Regenbogen;Encrypt=yes", "Regenbogen"),
    ("client-key-data: LS0tLS1C·RUdJTiBFQyBQUklWQVRFIEtFWS0tLS0tCk1IY0NBUUVFSU4", "BFQyBQUk"),
    ("    client-key-data: Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4", "Zm9vYmFy"),
    ("aws configure set aws_secret_access_key wJa·lrXUtnFEMIK7MDENGbPxRfiCYzzEXA9PLEKEY", "wJalr"),
];

const ADDRESSES: &[Form] = &[
    ("git clone https://ada:p@ss/word7@git.example.net/a/b.git", "word7"),
    ("postgresql://app:Regen@bogen@db.internal:5432/app", "bogen"),
    ("postgresql://app:Regen@bogen@db.internal:5432/app", "Regen"),
    ("psql postgresql://app:regen/bogen@db/app", "regen"),
    ("DATABASE_URL=mysql://root:a/b@c#d9@db:3306/shop", "b@c#d9"),
    ("ftp://ada:regenbogen@ftp.example.net/in", "regenbogen"),
    ("https://example.net/v1/maps?key=q8Zt4nWc0RjX2mLp", "q8Zt4nWc0"),
    ("https://example.net/v1/maps?a=1&key=b7c1e09fa2d84c55", "b7c1e09fa2"),
    ("https://example.net/?apikey=q8Zt4nWc0Rj", "q8Zt4nWc0Rj"),
    ("http://127.0.0.1:4711/enter?code=b7c1e09fa2d84c5590aa1b3c4d5e6f70", "b7c1e09fa2"),
    ("https://example.net/cb?state=1&code=q8Zt4nWc0RjX2mLp", "q8Zt4nWc0"),
];

const TOKENS: &[Form] = &[
    ("xo·xc-1234567890-1234567890-1234567890-q8Zt4nWc0RjX2mLp7Vb1", "q8Zt4nWc0"),
    ("d=xo·xd-q8Zt4nWc0RjX2m%2BLp7Vb1%2FkT9%3D%3D; x=1", "Lp7Vb1"),
    ("SU·AIBDPBAUTWCWBKIO6XHQNINK5FWJW4OHLXC3HQ2KFE4PEJUA44CNHTC4", "BDPBAUTWC"),
    ("seed SA·AIBDPBAUTWCWBKIO6XHQNINK5FWJW4OHLXC3HQ2KFE4PEJUA44CNHTC4", "BDPBAUTWC"),
    ("SX·AIBDPBAUTWCWBKIO6XHQNINK5FWJW4OHLXC3HQ2KFE4PEJUA44CNHTC4", "BDPBAUTWC"),
    ("taffrail join taffrail-invite-x7Pq2_kLm9-TtR4sWz8Yb3Nc6Vd1Qe5", "x7Pq2"),
    ("taffrail-invite-x7Pq2_kLm9-TtR4sWz8Yb3Nc\n6Vd1Qe5x7Pq2_kLm9-TtR4sWz8Yb3Nc\n", "6Vd1Qe5x7"),
    (
        "taffrail-device-1\nb7c1e09fa2d84c5590aa1b3c4d5e6f70b7c1e09fa2d84c5590aa1b3c4d5e6f70\n",
        "b7c1",
    ),
    ("Cookie: taffrail-4711=1790000000.b7c1e09fa2d84c5590aa1b3c4d5e6f70", "b7c1e09f"),
    ("MAPBOX=sk.e·yJ1IjoiYWRhIiwiYSI6ImNrOXp5In0.x7Pq2kLm9TtR4sWz8Yb3Nc", "x7Pq2k"),
    (
        "mnemonic: legal winner thank year wave sausage worth useful legal winner thank yellow",
        "sausage",
    ),
    (
        "My seed phrase is \"legal winner thank year wave sausage worth useful legal winner thank yellow\".",
        "yellow",
    ),
];

const KEYS: &[Form] = &[
    (
        "     1→-----BE·GIN RSA PRIVATE KEY-----\n     2→MIIEvQIBADANBgkqhkiG9w0B\n     3→AQEFAASCBKcwggSjAgEA",
        "AQEFAA",
    ),
    (
        "     1\t-----BE·GIN PRIVATE KEY-----\n     2\tMIIEvQIBADANBgkqhkiG9w0B\n     3\tAQEFAAS",
        "AQEFAAS",
    ),
    ("1:-----BE·GIN PRIVATE KEY-----\n2:MIIEvQIBADANBgkqhkiG9w0B\n3:AQEFAAS", "AQEFAAS"),
    (
        "-----BE·GIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\nMIIEvQIBADANBgkqhkiG9w0B\n",
        "MIIEvQ",
    ),
    ("+-----BE·GIN PRIVATE KEY-----\n+MIIEvQIBADANBgkqhkiG9w0B\n+AQEFAASCBKcwggSjAgEA\n", "AQEFAA"),
    (
        "     1→-----BE·GIN RSA PRIVATE KEY-----\\n     2→MIIEvQIBADANBgkqhkiG9w0B\\n     3→AQEFAASCBKcwggSjAgEA\"",
        "AQEFAA",
    ),
    (
        "$ tail -3 id_rsa\nAQEFAASCBKcwggSjAgEAMIIEvQIBADANBgkqhkiG\nx7Pq2kLm9T==\n-----END RSA PRIVATE KEY-----\n",
        "x7Pq2k",
    ),
    (
        "   48→AQEFAASCBKcwggSjAgEAMIIEvQIBADANBgkqhkiG\n   49→x7Pq2kLm9T==\n   50→-----END PRIVATE KEY-----\n",
        "AQEFAA",
    ),
    (
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 1\nAAAAC3NzaC1lZDI1NTE5\nPrivate-Lines: 1\nx7Pq2kLm9TtR4sWz8Yb3Nc\nPrivate-MAC: 0a",
        "x7Pq2k",
    ),
    (
        "   9→Private-Lines: 2\n  10→x7Pq2kLm9TtR4sWz8Yb3Nc\n  11→Vd1Qe5x7Pq2kLm9T\n  12→Private-MAC: 0a",
        "Vd1Qe5",
    ),
    ("LS0tLS1C·RUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFdlFJQkFEQU4=", "NSUlFd"),
];

#[test]
fn no_form_of_a_secret_remains() {
    let forms = [COMMANDS, SETTINGS, ADDRESSES, TOKENS, KEYS].concat();
    let left: Vec<_> = forms
        .iter()
        .map(|(text, secret)| (redact(&text.replace('·', "")).into_owned(), secret))
        .filter(|(text, secret)| text.contains(**secret))
        .collect();
    assert!(left.is_empty(), "{} of {}: {left:#?}", left.len(), forms.len());
}
