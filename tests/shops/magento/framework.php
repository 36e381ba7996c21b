<?php

// What our module calls of Magento 2, by its published interface; none of its code. Here: the framework.

declare(strict_types=1);

namespace Psr\Log {
    interface LoggerInterface
    {
    }
}

namespace Magento\Framework\Component {
    final class ComponentRegistrar
    {
        public const MODULE = 'module';
        /** @var array<string, string> */
        public static array $known = [];

        public static function register($type, $name, $path)
        {
            self::$known["$type $name"] = $path;
        }
    }
}

namespace Magento\Framework\App {
    final class ResourceConnection
    {
        private \PDO $db;

        public function __construct()
        {
            $this->db = new \PDO('mysql:dbname=magento;unix_socket=' . getenv('SOCKET'), 'root', '');
        }

        public function getConnection(): self
        {
            return $this;
        }

        public function getTableName(string $name): string
        {
            return "m2_$name";
        }

        public function query($sql, $bind = []): \PDOStatement
        {
            $statement = $this->db->prepare($sql);
            $statement->execute($bind);
            return $statement;
        }

        public function fetchAll($sql, $bind = []): array
        {
            return $this->query($sql, $bind)->fetchAll(\PDO::FETCH_ASSOC);
        }

        public function lastInsertId(): int
        {
            return (int) $this->db->lastInsertId();
        }
    }

    interface RequestInterface
    {
    }

    interface CsrfAwareActionInterface
    {
        public function createCsrfValidationException(RequestInterface $request): ?Request\InvalidRequestException;

        public function validateForCsrf(RequestInterface $request): ?bool;
    }
}

namespace Magento\Framework\App\Config {
    interface ScopeConfigInterface
    {
        public function getValue($path, $scopeType = 'default', $scopeCode = null);
    }
}

namespace Magento\Framework\App\Request {
    final class InvalidRequestException extends \RuntimeException
    {
    }

    final class Http implements \Magento\Framework\App\RequestInterface
    {
        public function getPostValue(): array
        {
            return $_POST;
        }

        /** @return list<object> */
        public function getHeaders(): array
        {
            $headers = [];
            foreach (getallheaders() as $name => $value) {
                $headers[] = new class ($name, $value) {
                    public function __construct(private readonly string $name, private readonly string $value)
                    {
                    }

                    public function getFieldName(): string
                    {
                        return $this->name;
                    }

                    public function getFieldValue(): string
                    {
                        return $this->value;
                    }
                };
            }
            return $headers;
        }

        public function getContent(): string
        {
            return (string) file_get_contents('php://input');
        }
    }
}

namespace Magento\Framework\App\Action {
    interface HttpGetActionInterface
    {
    }

    interface HttpPostActionInterface
    {
    }
}

namespace Magento\Framework\Controller {
    interface ResultInterface
    {
    }
}

namespace Magento\Framework\Controller\Result {
    /** Sends an answer at the end of the request. */
    class Answer implements \Magento\Framework\Controller\ResultInterface
    {
        private int $status = 200;
        private string $contents = '';

        public function setHeader($name, $value, $replace = false)
        {
            header("$name: $value", $replace);
            return $this;
        }

        public function setHttpResponseCode($status)
        {
            $this->status = $status;
            return $this;
        }

        public function setContents($contents)
        {
            $this->contents = $contents;
            return $this;
        }

        public function setPath($path, array $params = [])
        {
            header("Location: /$path");
            $this->status = $this->status === 200 ? 302 : $this->status;
            return $this;
        }

        public function send(): void
        {
            http_response_code($this->status);
            echo $this->contents;
        }
    }

    class RawFactory
    {
        public function create(): Answer
        {
            return new Answer();
        }
    }

    final class RedirectFactory extends RawFactory
    {
    }
}

namespace Magento\Framework\Encryption {
    interface EncryptorInterface
    {
        public function decrypt($data);
    }
}

namespace Magento\Framework\Message {
    interface ManagerInterface
    {
        public function addErrorMessage($message);

        public function addSuccessMessage($message);
    }
}

namespace Magento\Framework {
    interface UrlInterface
    {
        public const URL_TYPE_LINK = 'link';

        public function getUrl($routePath = null, $routeParams = null);
    }
}

namespace Magento\Framework\Setup {
    interface ModuleContextInterface
    {
    }

    interface SchemaSetupInterface
    {
    }

    interface UninstallInterface
    {
        public function uninstall(SchemaSetupInterface $setup, ModuleContextInterface $context);
    }
}

namespace Magento\Framework\Setup\Patch {
    interface SchemaPatchInterface
    {
        public static function getDependencies();

        public function getAliases();

        public function apply();
    }
}

namespace {
    function __(string $text): string
    {
        return $text;
    }
}
